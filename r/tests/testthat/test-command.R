# The numbers are the command's, bit for bit. scripts/test_r says where the command and the tables are.
command <- Sys.getenv("SPODNET_COMMAND")
folder <- Sys.getenv("SPODNET_DATA")
quiet <- function(...) suppressWarnings(...)

read_npy <- function(file) {
  bytes <- readBin(file, "raw", file.size(file))
  length <- sum(as.integer(bytes[9:10]) * c(1, 256))
  header <- rawToChar(bytes[11:(10 + length)])
  shape <- as.integer(strsplit(sub(".*\\(([0-9, ]+)\\).*", "\\1", header), ", *")[[1]])
  values <- readBin(bytes[-(1:(10 + length))], "double", prod(shape), size = 8)
  matrix(values, shape[1], shape[2], byrow = TRUE)
}
run <- function(...) {
  skip_if(!nzchar(command), "the command is not here (scripts/test_r)")
  expect_equal(system2(command, c(...), stdout = FALSE, stderr = FALSE), 0)
}
estimated <- function(file, ...) {
  out <- tempfile(fileext = ".npy")
  run("estimate", file, ..., "-o", out)
  read_npy(out)
}
graphed <- function(file, ...) {
  out <- tempfile()
  run("graph", file, ..., "-o", out, "--no-cache")
  read_npy(file.path(out, "precision.npy"))
}
bits <- function(a, b) expect_identical(unname(a), unname(b))

# A table with gaps, a weight and a covariate of decimals that are exact in binary.
table_with_gaps <- function() {
  k <- 1:90
  a <- round(64 * sin(k^2)) / 8
  b <- round(64 * (sin(k^2) + cos(3 * k))) / 8
  data <- data.frame(a = a, b = b, c = round(64 * sin(2 + k * 7)) / 8 + b / 2, d = round(64 * cos(k^3)) / 8 - a / 4,
                     w = 1 + k %% 4, age = 20 + (k * 37) %% 50)
  data$a[7] <- data$c[12] <- data$c[13] <- NA
  data
}

test_that("estimates are the command's", {
  wines <- file.path(folder, "wine.csv")
  for (method in c("pretrained", "glasso-ebic", "glasso-cv", "oas"))
    bits(quiet(spod_precision(wine, method = method))$precision, estimated(wines, "--method", method))
  bits(quiet(spod_precision(wine, method = "glasso-cv", seed = 5))$precision,
       estimated(wines, "--method", "glasso-cv", "--seed", "5"))
  bits(quiet(spod_precision(cov(wine), n = 178))$precision,
       estimated({ file <- tempfile(fileext = ".csv"); write.csv(format(cov(wine), digits = 17), file, row.names = FALSE, quote = FALSE); file },
                 "--input", "covariance", "--samples-count", "178"))
  answers <- file.path(folder, "questionnaire.csv")
  bits(quiet(spod_precision(questionnaire, kind = "ordinal"))$precision, estimated(answers, "--kind", "ordinal"))
})
test_that("graphs are the command's", {
  g <- quiet(spod_graph(wine, stable = 0.1, bootstrap = 20, progress = FALSE))
  out <- tempfile()
  run("graph", file.path(folder, "wine.csv"), "-o", out, "--bootstrap", "20", "--stable", "0.1", "--no-cache")
  bits(g$precision, read_npy(file.path(out, "precision.npy")))
  edges <- utils::read.csv(file.path(out, "edges.csv"), check.names = FALSE, numerals = "no.loss")
  expect_equal(g$edges$from, edges$source)
  expect_equal(g$edges$share, as.numeric(edges$share), tolerance = 1e-14)
  expect_equal(sum(g$edges$stable), sum(edges$stable %in% c("1", "yes", "true", "TRUE", TRUE)))
  bits(quiet(spod_graph(questionnaire, progress = FALSE))$precision, graphed(file.path(folder, "questionnaire.csv")))
})
test_that("so they are with gaps, weights and a covariate", {
  data <- table_with_gaps()
  file <- tempfile(fileext = ".csv")
  write.csv(data, file, row.names = FALSE, quote = FALSE)
  options <- c("--weights", "w", "--adjust", "age")
  expected <- graphed(file, options)
  bits(quiet(spod_graph(data, weights = "w", adjust = ~age, progress = FALSE))$precision, expected)
  bits(quiet(spod_graph(data, weights = "w", adjust = "age", progress = FALSE))$precision, expected)
  bits(quiet(spod_graph(data[1:4], weights = data$w, adjust = data["age"], progress = FALSE))$precision, expected)
  bits(quiet(spod_graph(data[1:4], missing = "em", progress = FALSE))$precision,
       graphed(file, "--missing", "em", "--exclude", "w,age"))
  bits(quiet(spod_graph(data[1:4], blocks = data$w, progress = FALSE))$precision,
       graphed(file, "--blocks", "w", "--exclude", "age"))
})
test_that("model files are methods", {
  file <- file.path(folder, "..", "spodnet", "models", "pretrained", "tables.safetensors")
  skip_if(!file.exists(file), "the model files are not here")
  model <- spod_model(file)
  expect_output(print(model), model$model)
  bits(quiet(spod_precision(wine, method = model))$precision, estimated(file.path(folder, "wine.csv"), "--method", file))
})
