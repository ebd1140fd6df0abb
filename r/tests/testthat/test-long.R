# Interrupts, threads, memory: where /proc says them.
threads <- function() length(list.files("/proc/self/task"))
# A thread that was joined may stay in /proc for a moment: waits for it, a minute at most.
expect_threads <- function(wanted) {
  for (k in 1:6000) if (threads() > wanted) Sys.sleep(0.01)
  expect_equal(threads(), wanted)
}
memory <- function() {
  line <- grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
linux <- function() skip_if(!dir.exists("/proc/self/task"), "no /proc here")
quiet <- function(...) suppressWarnings(...)

# An interrupt from outside after so many seconds, as Ctrl-C sends one.
interrupt_after <- function(seconds) {
  system2("sh", c("-c", shQuote(sprintf("sleep %g; kill -INT %d", seconds, Sys.getpid()))), wait = FALSE,
          stdout = FALSE, stderr = FALSE)
}

test_that("an interrupt is a condition, and leaves no thread", {
  linux()
  before <- threads()
  caught <- tryCatch({
    interrupt_after(0.7)
    quiet(spod_graph(wine, bootstrap = 1e6, progress = FALSE))
  }, interrupt = function(i) i)
  expect_s3_class(caught, "interrupt")
  expect_threads(before)
})
test_that("a failing call leaves no thread", {
  linux()
  before <- threads()
  for (k in 1:20) expect_error(spod_precision(wine, method = "glasso:lambda=-1"))
  expect_error(quiet(spod_graph(wine, bootstrap = 1e6, progress = function(what, fraction) stop("enough"))), "enough")
  expect_threads(before)
})
test_that("progress is reported", {
  steps <- character()
  progress <- function(what, fraction) {
    steps <<- c(steps, what)
    if (length(steps) == 3) stop("enough")
  }
  expect_error(quiet(spod_graph(wine, bootstrap = 1e6, progress = progress)), "enough")
  expect_true(length(steps) == 3 && all(nzchar(steps)))
})
test_that("a thousand calls leak nothing", {
  linux()
  call <- function() quiet(spod_precision(wine[1:6], method = "glasso:lambda=0.1"))
  for (k in 1:200) call()
  gc()
  before <- memory()
  for (k in 1:1000) call()
  gc()
  expect_lt(memory() - before, 12)
  # 40 graphs, whose handles R frees
  for (k in 1:40) quiet(spod_graph(wine[1:5], method = "oas", progress = FALSE))
  gc()
  before <- memory()
  for (k in 1:100) quiet(spod_graph(wine[1:5], method = "oas", progress = FALSE))
  gc()
  expect_lt(memory() - before, 12)
})
