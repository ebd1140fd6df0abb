spod_compare <- function(data, methods = character(), only = length(methods) > 0, folds = 5, kind = "auto",
                         missing = "pairwise", robust = NULL, levels = NULL, weights = NULL, adjust = NULL, blocks = NULL,
                         standardize = TRUE, seed = 0, threads = getOption("spodnet.threads", 2L), progress = interactive()) {
  where <- sys.call()
  prepared <- prepare(with_facts(data, levels, weights, adjust, blocks),
                      list(kind = kind, missing = missing, robust = robust, threads = threads_of(threads)), FALSE, where)
  found <- run_call("compare", prepared,
                    list(methods = if (length(methods)) I(as.character(methods)), only = only, folds = folds,
                         standardize = standardize, seed = seed_of(seed), threads = threads), progress, where)
  table <- cbind(method = found$texts$methods, frame_of(found, "methods"), note = found$texts$methods.note)
  table$done <- table$done == 1
  table[!table$done, c("held_out", "sd", "behind", "behind_sd", "edges")] <- NA
  partial <- lapply(seq_len(nrow(table)), function(k) {
    w <- found$numbers[[paste0("partial.", k)]]
    if (!is.null(w)) square(w, found$texts$names)
  })
  out <- list(table = table, partial = stats::setNames(partial, table$method), notes = notes_of(found$texts, "notes"),
              warnings = notes_of(found$texts, "warnings"), folds = folds, call = where)
  warn_of(out$warnings)
  structure(out, class = "spod_comparison")
}

print.spod_comparison <- function(x, ...) {
  cat(sprintf("Held-out log-likelihood per row, %d folds:\n", as.integer(x$folds)))
  print(x$table[c("method", "held_out", "sd", "behind", "edges", "seconds")], row.names = FALSE, digits = 4)
  invisible(x)
}

summary.spod_comparison <- function(object, ...) object$table

plot.spod_comparison <- function(x, ...) {
  table <- x$table[x$table$done, ]
  at <- rev(seq_len(nrow(table)))
  old <- graphics::par(mar = c(4, 14, 1, 1))
  on.exit(graphics::par(old))
  spread <- table$behind_sd
  graphics::plot.default(-table$behind, at, xlim = range(-table$behind - spread, -table$behind + spread, 0), yaxt = "n", ylab = "",
                         xlab = "held-out log-likelihood per row, beside the best", pch = 19, ...)
  graphics::segments(-table$behind - spread, at, -table$behind + spread, at)
  graphics::axis(2, at, table$method, las = 1, cex.axis = 0.7)
  invisible(x)
}
