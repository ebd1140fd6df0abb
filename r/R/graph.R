spod_graph <- function(data, stable = NULL, bootstrap = if (is.null(stable)) 0 else 200, method = "auto", n = NULL,
                       kind = "auto", missing = "pairwise", robust = NULL, levels = NULL, weights = NULL, adjust = NULL,
                       blocks = NULL, groups = NULL, standardize = TRUE, train = FALSE, seed = 0,
                       threads = getOption("spodnet.threads", 2L), progress = interactive(), title = NULL) {
  where <- sys.call()
  if (is.null(title)) title <- deparse1(substitute(data))
  table <- if (is.null(n)) with_facts(data, levels, weights, adjust, blocks) else covariance_table(data, n)
  reading <- if (is.null(n)) list(kind = kind, missing = missing, robust = robust)
  prepared <- prepare(table, c(reading, threads = threads_of(threads)), FALSE, where)
  seed <- seed_of(seed)
  found <- run_call("analyse", prepared,
                    list(method = method_text(method), bootstrap = bootstrap, stable = stable, standardize = standardize,
                         train = train, groups = groups_list(groups, colnames(table$values)), seed = seed,
                         threads = threads, title = title), progress, where)
  out <- c(estimate_list(found), graph_list(found))
  out$groups <- groups_of(groups, colnames(table$values))[found$texts$names]
  out[c("stable", "bootstrap", "seed", "title", "call")] <- list(stable, bootstrap, seed, title, where)
  out$handle <- found$handle
  warn_of(out$warnings)
  if (nzchar(found$texts$message)) warn_of(found$texts$message)
  structure(out, class = c("spod_graph", "spod_precision"))
}

graph_list <- function(found) {
  names <- found$texts$names
  edges <- frame_of(found, "edges")
  kept <- data.frame(from = names[edges$i], to = names[edges$j], partial = edges$partial_correlation, theta = edges$theta)
  if (!is.null(edges$share)) {
    kept <- cbind(kept, edges[c("share", "sign_agreement", "low", "high")])
    kept$stable <- edges$stable == 1
  }
  nodes <- frame_of(found, "nodes")
  if (nrow(nodes) == length(names)) rownames(nodes) <- names
  candidates <- cbind(method = found$texts$candidates, frame_of(found, "candidates"), note = found$texts$candidates.note)
  candidates$chosen <- candidates$chosen == 1
  list(edges = kept, nodes = nodes, communities = stats::setNames(as.integer(found$numbers$communities), names),
       modularity = found$numbers$modularity[1], candidates = candidates, rows = found$numbers$rows[1])
}

# groups: a vector by variable (by name, or in their order), or a list of names or places as qgraph has it.
groups_of <- function(groups, names) {
  if (is.null(groups)) return(NULL)
  if (is.list(groups)) {
    if (is.null(names(groups))) stop("groups: the list needs the groups' names", call. = FALSE)
    members <- lapply(groups, function(g) if (is.numeric(g)) names[g] else as.character(g))
    groups <- stats::setNames(rep(names(groups), lengths(members)), unlist(members))
  }
  if (is.null(names(groups))) {
    if (length(groups) > length(names)) stop("groups has more entries than data has columns", call. = FALSE)
    groups <- stats::setNames(as.character(groups), names[seq_along(groups)])
  }
  stats::setNames(as.character(groups), names(groups))
}

groups_list <- function(groups, names) {
  groups <- groups_of(groups, names)
  if (!is.null(groups)) I(as.vector(rbind(names(groups), groups)))
}

print.spod_graph <- function(x, ...) {
  p <- length(x$communities)
  cat(sprintf("Graph of %d variables, %s rows: %d edges of %d pairs, %d communities, by %s\n", p,
              format(if (x$rows > 0) x$rows else x$n), nrow(x$edges), p * (p - 1) / 2, length(unique(x$communities)), x$method))
  if (!is.null(x$stable)) cat(sprintf("%d edges are stable at %g\n", sum(x$edges$stable), x$stable))
  if (nrow(x$edges)) print(utils::head(x$edges[names(x$edges) != "theta"], 6), row.names = FALSE, digits = 2)
  if (length(x$warnings)) cat(length(x$warnings), "things to be careful about: see summary()\n")
  invisible(x)
}

summary.spod_graph <- function(object, ...) structure(list(graph = object), class = "summary.spod_graph")

print.summary.spod_graph <- function(x, ...) {
  graph <- x$graph
  print(graph)
  cat("\nNodes:\n")
  print(cbind(community = graph$communities, graph$nodes), digits = 2)
  cat("\nMethods considered:\n")
  print(graph$candidates[c("method", "held_out", "edges", "chosen")], row.names = FALSE, digits = 4)
  cat("\n")
  print_notes(graph)
  invisible(x)
}

coef.spod_graph <- function(object, ...) object$partial

# Weights of the edges, zero diagonal; of the stable ones alone where there are any.
as.matrix.spod_graph <- function(x, stable = !is.null(x$stable), ...) {
  w <- x$partial
  diag(w) <- 0
  if (!stable) return(w)
  kept <- x$edges[x$edges$stable, c("from", "to")]
  keep <- w
  keep[] <- 0
  keep[cbind(c(kept$from, kept$to), c(kept$to, kept$from))] <- 1
  w * keep
}

as.igraph.spod_graph <- function(x, ...) {
  g <- igraph::graph_from_adjacency_matrix(as.matrix(x, ...), "undirected", weighted = TRUE, diag = FALSE)
  ends <- igraph::as_edgelist(g)
  g <- igraph::set_edge_attr(g, "partial", value = igraph::E(g)$weight)
  g <- igraph::set_edge_attr(g, "weight", value = abs(igraph::E(g)$weight))
  g <- igraph::set_vertex_attr(g, "community", value = x$communities)
  if (!is.null(x$edges$share)) {
    place <- match(paste(ends[, 1], ends[, 2], sep = "\r"), c(paste(x$edges$from, x$edges$to, sep = "\r"), paste(x$edges$to, x$edges$from, sep = "\r")))
    g <- igraph::set_edge_attr(g, "share", value = rep(x$edges$share, 2)[place])
  }
  g
}

as.igraph.spod_precision <- function(x, ...) {
  igraph::graph_from_adjacency_matrix(as.matrix(x), "undirected", weighted = TRUE, diag = FALSE)
}

spod_report <- function(x, file = tempfile("spodnet", fileext = ".html"), open = interactive()) {
  page <- .Call(C_file, x$handle, "report.html")
  connection <- base::file(file, "wb")
  on.exit(close(connection))
  writeBin(charToRaw(enc2utf8(page)), connection)
  if (open) (getOption("viewer", utils::browseURL))(file)
  invisible(file)
}

spod_write <- function(x, folder) {
  handle_of(.Call(C_write, x$handle, path.expand(folder)), sys.call())
  invisible(folder)
}
