net_spodnet <- function(data, method = "pretrained:target=precision,refit=true", kind = "auto", ..., verbose = FALSE) {
  muffle <- function(w) if (!isTRUE(verbose)) invokeRestart("muffleWarning")
  found <- withCallingHandlers(spod_precision(data, method = method, kind = kind, ...), spod_warning = muffle)
  variables <- colnames(data)
  if (is.null(variables)) variables <- rownames(found$partial)
  graph <- matrix(0, length(variables), length(variables), dimnames = list(variables, variables))
  kept <- rownames(found$partial)
  graph[kept, kept] <- as.matrix(found)
  list(graph = graph, intercepts = found$mean, results = found)
}
