# Pictures: by qgraph or igraph where they are, by R's own graphics where not.

plot.spod_graph <- function(x, with = c("auto", "qgraph", "igraph", "base"), ...) {
  draw_graph(as.matrix(x), factor(if (is.null(x$groups)) x$communities else x$groups), match.arg(with), ...)
}

plot.spod_precision <- function(x, with = c("auto", "qgraph", "igraph", "base"), ...) {
  draw_graph(as.matrix(x), factor(rep(1, nrow(x$partial))), match.arg(with), ...)
}

draw_graph <- function(w, groups, with, ...) {
  there <- function(package) requireNamespace(package, quietly = TRUE)
  if (with == "auto") with <- if (there("qgraph")) "qgraph" else if (there("igraph")) "igraph" else "base"
  switch(with, qgraph = draw_by_qgraph(w, groups, ...), igraph = draw_by_igraph(w, groups, ...),
         base = draw_by_base(w, groups, ...))
}

colours_of <- function(groups) grDevices::hcl.colors(max(3, nlevels(groups)), "Set 3")[as.integer(groups)]

draw_by_qgraph <- function(w, groups, ...) {
  defaults <- list(input = w, labels = colnames(w), layout = "spring", color = colours_of(groups), theme = "colorblind")
  given <- list(...)
  invisible(do.call(qgraph::qgraph, c(given, defaults[setdiff(names(defaults), names(given))])))
}

draw_by_igraph <- function(w, groups, ...) {
  g <- igraph::graph_from_adjacency_matrix(w, "undirected", weighted = TRUE, diag = FALSE)
  partial <- igraph::E(g)$weight
  defaults <- list(layout = igraph::layout_in_circle(g, order = order(groups)), vertex.color = colours_of(groups),
                   edge.width = 1 + 8 * abs(partial), edge.color = edge_colours(partial))
  given <- list(...)
  do.call(igraph::plot.igraph, c(list(g), given, defaults[setdiff(names(defaults), names(given))]))
  invisible(g)
}

edge_colours <- function(partial) ifelse(partial > 0, "#2166acb0", "#b2182bb0")

# Variables on a circle, those of a group side by side.
draw_by_base <- function(w, groups, labels = colnames(w), ...) {
  p <- nrow(w)
  angle <- numeric(p)
  angle[order(groups)] <- pi / 2 - 2 * pi * (seq_len(p) - 1) / p
  at <- cbind(cos(angle), sin(angle))
  graphics::plot.default(at, type = "n", axes = FALSE, xlab = "", ylab = "", asp = 1, xlim = c(-1.3, 1.3), ylim = c(-1.3, 1.3), ...)
  ends <- which(upper.tri(w) & w != 0, arr.ind = TRUE)
  partial <- w[ends]
  graphics::segments(at[ends[, 1], 1], at[ends[, 1], 2], at[ends[, 2], 1], at[ends[, 2], 2],
                     lwd = 1 + 8 * abs(partial), col = edge_colours(partial))
  graphics::points(at, pch = 21, cex = 3, bg = colours_of(groups))
  graphics::text(1.17 * at, labels)
  invisible(at)
}
