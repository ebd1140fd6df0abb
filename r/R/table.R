# From what R users have to the numbers that the library takes.

# Columns as numbers: ordered factors, and columns whose levels are given, as 1, 2, 3, ...; logicals and
# factors of two levels as 0 and 1.
numbers_of <- function(data, levels = NULL) {
  if (inherits(data, "Matrix")) data <- as.matrix(data)
  if (is.matrix(data)) return(numbers_of_matrix(data, levels))
  if (!is.data.frame(data)) stop("data is a ", class(data)[1], ": a data frame or a matrix is needed", call. = FALSE)
  names <- names(data)
  columns <- lapply(seq_along(data), function(j) column_numbers(data[[j]], names[j], levels_of(levels, names[j], data[[j]])))
  left_out <- vapply(columns, is.null, TRUE)
  if (any(left_out))
    warn_of(paste0("left out, neither numbers nor ordered: ", paste(names[left_out], collapse = ", "),
                   " (levels = says the order of categories)"))
  if (all(left_out)) stop("data has no column of numbers", call. = FALSE)
  matrix(unlist(columns[!left_out], use.names = FALSE), nrow(data), dimnames = list(NULL, names[!left_out]))
}

numbers_of_matrix <- function(data, levels) {
  if (is.character(data)) return(numbers_of(as.data.frame(data, stringsAsFactors = FALSE), levels))
  if (!is.numeric(data) && !is.logical(data))
    stop("data is a matrix of ", typeof(data), ": numbers are needed", call. = FALSE)
  storage.mode(data) <- "double"
  if (is.null(colnames(data))) colnames(data) <- paste0("x", seq_len(ncol(data)))
  dimnames(data) <- list(NULL, colnames(data))
  data
}

# levels: one vector for every column that holds its words, or a list by name.
levels_of <- function(levels, name, column) {
  if (is.list(levels)) return(levels[[name]])
  if (is.null(levels) || !(is.character(column) || is.factor(column))) return(NULL)
  words <- unique(as.character(column[!is.na(column)]))
  if (length(words) > 0 && all(words %in% levels)) levels
}

column_numbers <- function(x, name, levels) {
  if (!is.null(levels)) {
    place <- match(as.character(x), as.character(levels))
    unknown <- which(is.na(place) & !is.na(x))
    if (length(unknown))
      stop("column ", name, ": ", dQuote(as.character(x[unknown[1]]), FALSE), " is none of its levels ",
           paste(levels, collapse = " < "), call. = FALSE)
    return(as.double(place))
  }
  if (inherits(x, c("Date", "POSIXt", "difftime"))) return(NULL)
  if (is.ordered(x)) return(as.double(as.integer(x)))
  if (is.factor(x)) return(if (nlevels(x) == 2) as.double(as.integer(x)) - 1)
  if (is.numeric(x) && is.null(dim(x)) || is.logical(x)) as.double(x)
}

# What is said of the rows: names of columns, formulas or values become columns of the table behind the
# variables, and options that name them.
with_facts <- function(data, levels, weights = NULL, adjust = NULL, blocks = NULL, group = NULL, paired = NULL) {
  if (is.data.frame(data)) data <- as.data.frame(data)  # of whatever kind it was
  used <- character()
  fact <- function(x, what) {
    if (is.null(x)) return(NULL)
    if (is.character(x) && length(x) == 1 && nrow(data) != 1) {
      if (!x %in% colnames(data)) stop(what, ": there is no column ", dQuote(x, FALSE), call. = FALSE)
      used <<- c(used, x)
      x <- if (is.data.frame(data)) data[[x]] else data[, x]
    }
    if (length(x) != nrow(data))
      stop(what, " has ", length(x), " values for ", nrow(data), " rows", call. = FALSE)
    x
  }
  weights <- fact(weights, "weights")
  successive <- is.numeric(blocks) && length(blocks) == 1 && nrow(data) != 1
  clusters <- if (!successive) fact(blocks, "blocks")
  group <- fact(group, "group")
  paired <- fact(paired, "paired")
  covariates <- covariates_of(adjust, data)
  used <- c(used, covariates$used)
  variables <- if (is.null(colnames(data))) seq_len(ncol(data)) else which(!colnames(data) %in% used)
  values <- numbers_of(data[, variables, drop = FALSE], levels)
  extra <- list(weights = weights, blocks = if (!is.null(clusters)) as.integer(factor(clusters)),
                group = if (!is.null(group)) as.integer(factor(group)),
                paired = if (!is.null(paired)) as.integer(factor(paired)))
  extra <- extra[!vapply(extra, is.null, TRUE)]
  columns <- cbind(covariates$values, do.call(cbind, lapply(extra, as.double)))
  k <- NCOL(covariates$values) * !is.null(covariates$values)
  free <- utils::tail(make.unique(c(colnames(values), colnames(covariates$values), names(extra))), NCOL(columns) * !is.null(columns))
  if (!is.null(columns)) colnames(columns) <- free
  named <- function(what) if (what %in% names(extra)) free[k + match(what, names(extra))]
  list(values = cbind(values, columns),
       options = list(weights = named("weights"), adjust = if (k > 0) I(free[seq_len(k)]),
                      blocks = if (successive) as.character(blocks) else named("blocks"), group = named("group"),
                      paired = named("paired"),
                      group_names = if (!is.null(group)) I(levels(factor(group)))))
}

# adjust: a formula (~ age + site), names of columns, or numbers of their own.
covariates_of <- function(adjust, data) {
  if (is.null(adjust)) return(list())
  if (inherits(adjust, "formula")) {
    frame <- stats::model.frame(adjust, as.data.frame(data), na.action = stats::na.pass)
    return(list(values = stats::model.matrix(adjust, frame)[, -1, drop = FALSE],
                used = intersect(all.vars(adjust), colnames(data))))
  }
  if (is.character(adjust)) {
    unknown <- setdiff(adjust, colnames(data))
    if (length(unknown)) stop("adjust: there is no column ", dQuote(unknown[1], FALSE), call. = FALSE)
    return(list(values = numbers_of(data[, adjust, drop = FALSE]), used = adjust))
  }
  adjust <- as.matrix(adjust)
  if (nrow(adjust) != nrow(data)) stop("adjust has ", nrow(adjust), " rows, data ", nrow(data), call. = FALSE)
  list(values = numbers_of_matrix(adjust, NULL), used = character())
}

# A table made ready: what spod_prepare of the C interface gives.
prepare <- function(table, options, progress, where) {
  watch <- progress_function(progress)
  on.exit(watch$close())
  handle_of(.Call(C_prepare, table$values, as.character(colnames(table$values)),
                  to_json(c(table$options, options)), watch$show), where)
}

covariance_table <- function(x, n) {
  if (!is.matrix(x) || !is.numeric(x) || nrow(x) != ncol(x)) stop("with n =, x is a covariance matrix", call. = FALSE)
  list(values = numbers_of_matrix(x, NULL), options = list(input = "covariance", samples_count = n))
}
