spod_precision <- function(x, method = "pretrained", n = NULL, kind = "gaussian", missing = "pairwise", robust = NULL,
                           levels = NULL, weights = NULL, adjust = NULL, blocks = NULL, standardize = TRUE, seed = 0,
                           threads = getOption("spodnet.threads", 2L), progress = FALSE) {
  where <- sys.call()
  table <- if (is.null(n)) with_facts(x, levels, weights, adjust, blocks) else covariance_table(x, n)
  reading <- if (is.null(n)) list(kind = kind, missing = missing, robust = robust)
  data <- prepare(table, c(reading, threads = threads_of(threads)), FALSE, where)
  found <- run_call("estimate", data, list(method = method_text(method), standardize = standardize, seed = seed_of(seed),
                                           threads = threads), progress, where)
  out <- estimate_list(found)
  out$lambda <- found$numbers$lambda[1]
  out$scores <- if (length(found$numbers$scores)) frame_of(found, "scores")
  out$call <- where
  warn_of(out$warnings)
  if (nzchar(found$texts$message)) warn_of(found$texts$message)
  structure(out, class = "spod_precision")
}

# What estimates and graphs have in common.
estimate_list <- function(found) {
  numbers <- found$numbers
  names <- found$texts$names
  list(precision = square(numbers$precision, names), covariance = square(numbers$covariance, names),
       partial = square(numbers$partial, names), mean = if (length(numbers$mean)) stats::setNames(numbers$mean[, 1], names),
       sample_covariance = square(numbers$sample_covariance, names), n = numbers$n[1], residual = numbers$residual[1],
       method = found$texts$method, kinds = found$texts$kinds, notes = notes_of(found$texts, "notes"),
       warnings = notes_of(found$texts, "warnings"))
}

method_text <- function(method) if (inherits(method, "spod_model")) method$file else as.character(method)

print.spod_precision <- function(x, ...) {
  p <- nrow(x$precision)
  edges <- sum(x$partial[upper.tri(x$partial)] != 0)
  cat(sprintf("Precision matrix of %d variables by %s: %d of %d pairs are joined\n", p, x$method, edges, p * (p - 1) / 2))
  if (!is.na(x$n)) cat(sprintf("%s samples, |Theta W - I| = %.1e\n", format(round(x$n, 1)), x$residual))
  invisible(x)
}

summary.spod_precision <- function(object, ...) {
  eigen <- eigen(object$precision, symmetric = TRUE, only.values = TRUE)$values
  structure(list(print = object, eigenvalues = eigen, edges = strongest(object$partial), notes = object$notes,
                 warnings = object$warnings), class = "summary.spod_precision")
}

print.summary.spod_precision <- function(x, ...) {
  print(x$print)
  cat(sprintf("eigenvalues from %.3g to %.3g\n", min(x$eigenvalues), max(x$eigenvalues)))
  print(utils::head(x$edges, 10), row.names = FALSE, digits = 2)
  print_notes(x)
  invisible(x)
}

# Pairs that are joined, the strongest first.
strongest <- function(partial) {
  place <- which(upper.tri(partial) & partial != 0, arr.ind = TRUE)
  value <- partial[place]
  order <- order(-abs(value))
  names <- rownames(partial)
  data.frame(from = names[place[order, 1]], to = names[place[order, 2]], partial = value[order])
}

print_notes <- function(x) {
  for (text in x$warnings) cat(strwrap(paste("careful:", text), exdent = 2), sep = "\n")
  for (text in x$notes) cat(strwrap(paste("note:", text), exdent = 2), sep = "\n")
}

coef.spod_precision <- function(object, ...) object$precision

logLik.spod_precision <- function(object, ...) {
  Theta <- object$precision
  S <- object$sample_covariance
  p <- nrow(Theta)
  edges <- sum(Theta[upper.tri(Theta)] != 0)
  logdet <- 2 * sum(log(diag(chol(Theta))))
  structure(object$n / 2 * (logdet - sum(Theta * S) - p * log(2 * pi)), df = p + edges + length(object$mean),
            nobs = object$n, class = "logLik")
}

# Every variable from all others: E(x_i | the others) = mean_i - sum_j Theta_ij (x_j - mean_j) / Theta_ii.
predict.spod_precision <- function(object, newdata, ...) {
  if (is.null(object$mean)) stop("an estimate from a covariance has no means to predict with", call. = FALSE)
  if (any(object$kinds != "gaussian"))
    stop("predictions are those of numbers: estimate with kind = \"gaussian\"", call. = FALSE)
  Theta <- object$precision
  x <- numbers_of(newdata)
  absent <- setdiff(rownames(Theta), colnames(x))
  if (length(absent)) stop("newdata has no column ", dQuote(absent[1], FALSE), call. = FALSE)
  x <- x[, rownames(Theta), drop = FALSE]
  z <- sweep(x, 2, object$mean)
  out <- x - sweep(z %*% Theta, 2, diag(Theta), "/")
  rownames(out) <- rownames(newdata)
  out
}

as.matrix.spod_precision <- function(x, ...) {
  diag(x$partial) <- 0
  x$partial
}
