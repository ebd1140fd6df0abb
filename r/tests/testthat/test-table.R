test_that("frames, tibbles and matrices become numbers", {
  data <- data.frame(a = c(1.5, NA, 2), b = c(TRUE, FALSE, NA), c = factor(c("x", "y", "x")),
                     d = factor(c("lo", "hi", "lo"), levels = c("lo", "mid", "hi"), ordered = TRUE), row.names = c("p", "q", "r"))
  values <- spodnet:::numbers_of(data)
  expect_equal(unname(values), cbind(c(1.5, NA, 2), c(1, 0, NA), c(0, 1, 0), c(1, 3, 1)))
  expect_equal(colnames(values), c("a", "b", "c", "d"))
  class(data) <- c("tbl_df", "tbl", "data.frame")
  expect_equal(spodnet:::numbers_of(data), values)
  expect_equal(colnames(spodnet:::numbers_of(matrix(1:4, 2))), c("x1", "x2"))
})
test_that("columns that are no numbers are left out with a warning, or ordered by levels", {
  data <- data.frame(a = 1:3, b = c("no", "yes", "perhaps"), when = Sys.Date() + 0:2)
  expect_warning(values <- spodnet:::numbers_of(data), "b, when", class = "spod_warning")
  expect_equal(ncol(values), 1)
  ordered <- spodnet:::numbers_of(data[1:2], levels = c("no", "perhaps", "yes"))
  expect_equal(unname(ordered[, "b"]), c(1, 3, 2))
  expect_error(spodnet:::numbers_of(data[1:2], levels = list(b = c("no", "yes"))), "perhaps")
  expect_error(spodnet:::numbers_of("a"), "a data frame or a matrix")
})
test_that("options are JSON", {
  expect_equal(spodnet:::to_json(list(a = "x\"\\\n", b = 0.1, c = NULL, d = I("one"), e = c(TRUE, FALSE), f = 1e15)),
               "{\"a\":\"x\\\"\\\\\\u000a\",\"b\":0.10000000000000001,\"d\":[\"one\"],\"e\":[true,false],\"f\":1000000000000000}")
})
