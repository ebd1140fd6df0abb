# Reads the results of `spodnet graph`; base R is all it needs.
#
#   Rscript read_results.R FOLDER     prints a list of the files in the folder (here: this one)
#   source("read_results.R")          results <- read_results("FOLDER")
#   results$edges                     a data frame, strongest edge first
#   results$precision                 a matrix with names; qgraph::qgraph(results$partial_correlations)

read_results <- function(folder = ".") {
  file <- function(name) file.path(folder, name)
  table <- function(name) {
    if (!file.exists(file(name))) return(NULL)
    read.csv(file(name), check.names = FALSE, na.strings = "", encoding = "UTF-8",
             colClasses = NA, stringsAsFactors = FALSE)
  }
  matrix_of <- function(name) {
    if (!file.exists(file(name))) return(NULL)
    values <- read.csv(file(name), check.names = FALSE, na.strings = "", encoding = "UTF-8")
    matrix <- as.matrix(values[, -1, drop = FALSE])  # names may stand twice, or be numbers
    dimnames(matrix) <- list(as.character(values[[1]]), names(values)[-1])
    matrix
  }
  list(precision = matrix_of("precision.csv"),
       partial_correlations = matrix_of("partial_correlations.csv"),
       covariance = matrix_of("covariance.csv"),
       edges = table("edges.csv"),
       pairs = table("pairs.csv"),
       communities = table("communities.csv"))
}

if (sys.nframe() == 0L) {
  arguments <- commandArgs(trailingOnly = TRUE)
  here <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  results <- read_results(if (length(arguments) > 0) arguments[1] else dirname(here))
  cat(nrow(results$precision), "variables,", nrow(results$edges), "edges\n")
  for (k in seq_len(min(5, nrow(results$edges)))) {
    edge <- results$edges[k, ]
    cat(sprintf("  %s - %s: %+.3f\n", edge$source, edge$target, edge$partial_correlation))
  }
}
