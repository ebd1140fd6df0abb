spod_model <- function(file) {
  path <- normalizePath(file, mustWork = FALSE)
  found <- read_result(handle_of(.Call(C_model, enc2utf8(path)), sys.call()))
  structure(list(file = path, model = found$texts$model, variables = found$numbers$variables[1],
                 layers = found$numbers$layers[1],
                 info = stats::setNames(as.list(as.character(found$texts$values)), as.character(found$texts$keys))),
            class = "spod_model")
}

print.spod_model <- function(x, ...) {
  cat(sprintf("Model %s of %d layers for %s variables: %s\n", x$model, as.integer(x$layers),
              if (x$variables == 0) "any number of" else format(x$variables), x$file))
  invisible(x)
}

summary.spod_model <- function(object, ...) {
  print(object)
  utils::str(object$info)
  invisible(object)
}
