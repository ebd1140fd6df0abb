# Calls of the library: options as JSON, failures as conditions, results as lists.

quoted <- function(text) {
  text <- enc2utf8(text)
  if (!any(grepl("[\"\\\\[:cntrl:]]", text))) return(paste0("\"", text, "\""))
  text <- gsub("\\", "\\\\", text, fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (code in c(1:31, 127)) {
    control <- rawToChar(as.raw(code))
    if (any(grepl(control, text, fixed = TRUE))) text <- gsub(control, sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  paste0("\"", text, "\"")
}

# A named list as a JSON object; what is NULL is left out.
to_json <- function(options) {
  options <- options[!vapply(options, is.null, TRUE)]
  value <- function(x) {
    words <- if (is.logical(x)) ifelse(x, "true", "false") else
      if (is.numeric(x)) format(x, digits = 17, trim = TRUE, scientific = FALSE, nsmall = 0) else quoted(as.character(x))
    if (length(x) == 1 && !inherits(x, "AsIs")) words else paste0("[", paste(words, collapse = ","), "]")
  }
  paste0("{", paste(quoted(names(options)), vapply(options, value, ""), sep = ":", collapse = ","), "}")
}

# What a call of the library returned: its handle, or the condition it ended with.
handle_of <- function(outcome, where) {
  status <- outcome[[1]]
  if (status == 130L) raise_interrupt()
  if (status >= 2L)
    stop(structure(class = c("spod_error", "error", "condition"),
                   list(message = advised(sub("^spod_[a-z]+: ", "", outcome[[2]]), outcome[[4]]), call = where)))
  outcome[[3]]
}

# The same condition as R's own after Ctrl-C or Esc.
raise_interrupt <- function() {
  condition <- structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL))
  signalCondition(condition)
  invokeRestart("abort")
}

read_result <- function(handle) {
  parts <- .Call(C_read, handle)
  list(numbers = parts[[1]], texts = parts[[2]], handle = handle)
}

run_call <- function(name, data, options, progress, where) {
  watch <- progress_function(progress)
  on.exit(watch$close())
  read_result(handle_of(.Call(C_run, name, data, to_json(options), watch$show), where))
}

# progress: TRUE (a bar), a function(what, fraction), or FALSE.
progress_function <- function(progress) {
  if (is.function(progress)) return(list(show = progress, close = function() NULL))
  if (!isTRUE(progress)) return(list(show = NULL, close = function() NULL))
  bar <- NULL
  now <- ""
  list(
    show = function(what, fraction) {
      if (what != now) {
        if (!is.null(bar)) close(bar)
        message(what)
        bar <<- utils::txtProgressBar(style = 3, file = stderr())
        now <<- what
      }
      utils::setTxtProgressBar(bar, fraction)
    },
    close = function() if (!is.null(bar)) close(bar))
}

seed_of <- function(seed) {
  if (is.null(seed)) return(sample.int(.Machine$integer.max, 1))
  if (!is.numeric(seed) || length(seed) != 1 || is.na(seed) || seed < 0 || seed != round(seed) || seed > 2^53)
    stop("seed is a whole number from 0, or NULL to draw one from R's random numbers", call. = FALSE)
  seed
}

threads_of <- function(threads) {
  if (!is.numeric(threads) || length(threads) != 1 || is.na(threads) || threads < 0)
    stop("threads is a whole number; 0 is one for each core", call. = FALSE)
  threads
}

# The argument of this package for a setting that would help.
advised <- function(text, advice) {
  arguments <- c(sample_count = "n = N", ranks = "robust = \"spearman\"", pairwise = "missing = \"pairwise\"",
                 em = "missing = \"em\"", standardize = "standardize = TRUE", auto_method = "method = \"auto\"",
                 glasso_cv = "method = \"glasso-cv\"", resamples = "bootstrap = N", ordinal = "kind = \"ordinal\"",
                 levels = "levels = list(NAME = c(\"low\", \"high\"))", exclude = "leave out the column",
                 weights = "weights = \"NAME\"", transpose = "t(data)")
  known <- advice %in% names(arguments)
  text[known] <- paste0(text[known], " (", arguments[advice[known]], ")")
  text
}

notes_of <- function(texts, list) advised(texts[[list]], texts[[paste0(list, ".advice")]])

# What to be careful about, as warnings of class "spod_warning".
warn_of <- function(notes) {
  for (text in notes)
    warning(structure(class = c("spod_warning", "warning", "condition"), list(message = text, call = NULL)))
}

square <- function(x, names) {
  dimnames(x) <- list(names, names)
  x
}

# A matrix of numbers with names of its columns as a data frame.
frame_of <- function(result, name) {
  out <- as.data.frame(result$numbers[[name]])
  names(out) <- result$texts[[paste0(name, ".columns")]]
  out
}

spod_version <- function() .Call(C_version)
