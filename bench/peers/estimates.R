# R's estimators and ours for bench/compare_peers: a line `peer file rows columns penalty tolerance timed` is answered by processor seconds.
suppressMessages(library(spodnet))
for (package in c("glasso", "huge", "qgraph", "psych")) suppressMessages(loadNamespace(package))
options(spodnet.threads = 1, mc.cores = 1, warn = -1)  # psych forks otherwise

precision <- function(x, method, ...) spod_precision(x, method = method, ...)$precision
peers <- list(
  "spodnet" = function(x, penalty, tol) precision(x, sprintf("glasso:lambda=%.17g,tol=%g", penalty, tol), n = 200),
  "R glasso" = function(x, penalty, tol) glasso::glasso(x, penalty, thr = tol, penalize.diagonal = FALSE)$wi,
  # Penalises the diagonal, too: taken off beforehand, the problem is the same.
  "R huge" = function(x, penalty, tol) as.matrix(huge::huge.glasso(unname(x) - diag(penalty, nrow(x)), lambda = penalty, verbose = FALSE)$icov[[1]]),
  "ebic" = function(x, ...) { f <- spod_precision(x, method = "glasso-ebic"); g <- f$partial; diag(g) <- 0; g },
  "EBICglasso" = function(x, gamma, ...) qgraph::EBICglasso(cor(x), nrow(x), gamma = gamma, verbose = FALSE),
  "ordinal" = function(x, ...) cov2cor(spod_precision(x, method = "oas", kind = "ordinal")$sample_covariance),
  "polychoric" = function(x, ...) psych::polychoric(x, correct = 0, progress = FALSE)$rho,
  "pretrained" = function(x, ...) precision(x, "pretrained"),
  "glasso-cv" = function(x, ...) precision(x, "glasso-cv"),
  "tiger" = function(x, ...) precision(x, "tiger"),
  "clime-cv" = function(x, ...) precision(x, "clime-cv"))

now <- function() sum(proc.time()[1:2])
timed <- function(work, often) {
  start <- now()
  for (calls in seq_len(if (often) 200 else 1)) {
    result <- work()
    if (now() - start >= 0.2) break
  }
  list((now() - start) / calls, result)
}

lines <- file("stdin", "r")
while (length(line <- readLines(lines, 1)) == 1) {
  peer <- sub(" /.*", "", line)
  words <- strsplit(sub("^[^/]* /", "/", line), " ")[[1]]
  shape <- as.integer(words[2:3])
  x <- matrix(readBin(words[1], "double", prod(shape)), shape[1], shape[2])
  colnames(x) <- paste0("v", seq_len(ncol(x)))
  found <- tryCatch(timed(function() peers[[peer]](x, as.double(words[4]), as.double(words[5])), words[6] == "1"),
                    error = function(e) { message("failed ", peer, ": ", conditionMessage(e)); NULL })
  if (is.null(found)) {
    cat("failed\n")
  } else {
    writeBin(as.double(found[[2]]), paste0(words[1], ".out"))
    cat("seconds", found[[1]], "\n")
  }
}
