# %% [markdown]
# # A table to a graph
# 80 rows, 10 columns: which variables depend on each other directly, given all others?
# %%
import spodnet

graph = spodnet.graph("measurements.csv", method="pretrained", bootstrap=100)
graph.edges
# %% [markdown]
# A row is an edge: a partial correlation that is not exactly zero. `share` says in how many of 100 resamples of
# the rows it came back. In a notebook, `graph` alone on a line shows the interactive page; `graph.report("page.html")`
# writes it.
# %%
graph.warnings
# %%
graph.communities
# %% [markdown]
# The precision matrix has exact zeros, is positive definite, and comes with its inverse.
# %%
import numpy as np

Theta, W = graph.precision.to_numpy(), graph.covariance.to_numpy()
(Theta == 0).mean(), np.linalg.eigvalsh(Theta).min(), np.linalg.norm(Theta @ W - np.eye(len(Theta)))
# %% [markdown]
# How do other methods do on rows they have not seen?
# %%
spodnet.compare("measurements.csv", methods=["pretrained", "glasso-ebic", "glasso-cv", "oas"], only=True)[
    ["method", "held_out", "sd", "edges"]]
