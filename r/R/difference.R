spod_difference <- function(data, group, paired = NULL, permutations = 1000, method = "glasso-ebic", kind = "auto",
                            missing = "pairwise", robust = NULL, levels = NULL, weights = NULL, adjust = NULL, blocks = NULL,
                            seed = 0, threads = getOption("spodnet.threads", 2L), progress = interactive()) {
  where <- sys.call()
  prepared <- prepare(with_facts(data, levels, weights, adjust, blocks, group, paired),
                      list(kind = kind, missing = missing, robust = robust, threads = threads_of(threads)), FALSE, where)
  found <- run_call("difference", prepared, list(method = method_text(method), permutations = permutations,
                                                 seed = seed_of(seed), threads = threads), progress, where)
  out <- difference_list(found)
  out$call <- where
  warn_of(out$warnings)
  structure(out, class = "spod_difference")
}

difference_list <- function(found) {
  names <- found$texts$names
  groups <- cbind(group = found$texts$groups, frame_of(found, "groups"))
  tests <- frame_of(found, "tests")
  tests$a <- groups$group[tests$a]
  tests$b <- groups$group[tests$b]
  part <- function(what, k) square(found$numbers[[paste0(what, ".", k)]], names)
  edges <- do.call(rbind, lapply(seq_len(nrow(tests)), function(k) {
    pair <- which(upper.tri(diag(length(names))), arr.ind = TRUE)
    data.frame(a = tests$a[k], b = tests$b[k], from = names[pair[, 1]], to = names[pair[, 2]],
               difference = part("difference", k)[pair], p = part("p", k)[pair], p_holm = part("p.holm", k)[pair],
               p_max = part("p.max", k)[pair])
  }))
  partial <- stats::setNames(lapply(seq_len(nrow(groups)), function(g) part("partial", g)), groups$group)
  list(groups = groups, tests = tests, edges = edges[order(edges$p_max, -abs(edges$difference)), ], partial = partial,
       method = found$texts$method, notes = notes_of(found$texts, "notes"), warnings = notes_of(found$texts, "warnings"))
}

print.spod_difference <- function(x, ...) {
  for (k in seq_len(nrow(x$groups)))
    cat(sprintf("%s: %d rows, %d edges\n", x$groups$group[k], as.integer(x$groups$rows[k]), as.integer(x$groups$edges[k])))
  for (k in seq_len(nrow(x$tests))) {
    t <- x$tests[k, ]
    cat(sprintf("%s and %s: structure (largest difference %.2f) p = %.3g, total strength (%.2f and %.2f) p = %.3g\n", t$a, t$b,
                t$largest, t$p_structure, t$strength_a, t$strength_b, t$p_strength))
  }
  differ <- x$edges[x$edges$p_max <= 0.05, ]
  if (nrow(differ)) print(utils::head(differ, 10), row.names = FALSE, digits = 2) else cat("no edge differs at 0.05 (corrected)\n")
  invisible(x)
}

summary.spod_difference <- function(object, ...) object$edges

plot.spod_difference <- function(x, with = c("auto", "qgraph", "igraph", "base"), ...) {
  old <- graphics::par(mfrow = c(1, length(x$partial)))
  on.exit(graphics::par(old))
  for (group in names(x$partial)) {
    w <- x$partial[[group]]
    diag(w) <- 0
    draw_graph(w, factor(rep(1, nrow(w))), match.arg(with), ...)
    graphics::title(group)
  }
  invisible(x)
}
