# What a call from R costs beside the call of the C interface alone, and net_spodnet beside qgraph::EBICglasso: processor time
# in ms, the least of some rounds, one thread.
#   R_LIBS_USER=build/r/library Rscript bench/r_calls.R
suppressMessages(library(spodnet))
options(spodnet.threads = 1, warn = -1)

cost <- function(work, calls, rounds = 7) {
  once <- function() {
    before <- sum(proc.time()[1:2])
    for (k in seq_len(calls)) work()
    1000 * (sum(proc.time()[1:2]) - before) / calls
  }
  work()
  min(vapply(seq_len(rounds), function(k) once(), 0))
}

chain <- function(n, p) {
  x <- matrix(rnorm(n * p), n)
  for (j in seq_len(p)[-1]) x[, j] <- 0.5 * x[, j - 1] + x[, j]
  colnames(x) <- paste0("v", seq_len(p))
  x
}

c_call <- function(x, options) {
  values <- spodnet:::numbers_of(x)
  reading <- "{\"kind\":\"gaussian\",\"missing\":\"pairwise\",\"threads\":1}"
  function() {
    data <- .Call(spodnet:::C_prepare, values, colnames(values), reading, NULL)[[3]]
    .Call(spodnet:::C_run, "estimate", data, options, NULL)
  }
}

set.seed(1)
cat("call of R and of the C interface, glasso:lambda=0.1, ms\n")
for (p in c(13, 50)) {
  x <- chain(178, p)
  in_r <- cost(function() spod_precision(x, method = "glasso:lambda=0.1"), 40)
  in_c <- cost(c_call(x, "{\"method\":\"glasso:lambda=0.1\",\"standardize\":true,\"seed\":0,\"threads\":1}"), 40)
  cat(sprintf("p = %d: %.2f and %.2f, %.2f more\n", p, in_r, in_c, in_r - in_c))
}
if (requireNamespace("qgraph", quietly = TRUE)) {
  cat("net_spodnet and EBICglasso, ms\n")
  quietly <- function(x) suppressMessages(suppressWarnings(x))
  for (p in c(10, 13, 15, 20, 25, 30, 35, 40, 50, 60)) {
    x <- chain(200, p)
    ours <- cost(function() net_spodnet(x), 4, 3)
    theirs <- cost(function() quietly(qgraph::EBICglasso(cor(x), 200)), 2, 3)
    cat(sprintf("p = %d: %.1f and %.1f\n", p, ours, theirs))
  }
}
