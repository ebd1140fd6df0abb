# %% [markdown]
# # A gallery of rules
# What a rule writes into a column is the structure of the answer, and whatever it writes, Theta stays symmetric positive
# definite. Each rule here is a few lines of torch, trained as a program on 600 matrices that have the structure (p = 20,
# n = 60), and tried on ten others. `glasso-cv` and `pretrained` know nothing of the structure. The table says what
# [gallery.md](../gallery.md) says of them together; the code is [examples/gallery.py](../../examples/gallery.py).
# %%
import inspect
import sys

import pandas
import torch

sys.path.append("../../examples")
import gallery

torch.set_default_dtype(torch.float64)


def show(name, *parts):
    """Its code, its scores beside the others', and the off-diagonal entries of the first test matrix (white: zero)."""
    print("\n\n".join(inspect.getsource(part) for part in parts))
    scores, _, matrices, layers = gallery.run(name)
    gallery.picture({name: matrices})
    return pandas.DataFrame(scores, index=["NMSE", "F1"]).T.round(3)


# %% [markdown]
# ## UBG, the paper's, in ten lines
# A step against the gradient whose length is a network of the column, then a threshold for all entries.
# %%
show("UBG", gallery.Ubg, gallery.Constant)
# %% [markdown]
# ## DeepSets: each entry with the mean of all, for any p
# %%
show("DeepSets", gallery.Step, gallery.DeepSets)
# %% [markdown]
# ## Attention over the entries, for any p
# %%
show("attention", gallery.Attention)
# %% [markdown]
# ## A band: nothing beyond the second neighbour
# %%
show("band", gallery.Masked)
# %% [markdown]
# ## A grid of four by five: neighbours alone
# The same rule with another mask.
# %%
show("grid")
# %% [markdown]
# ## M-matrices: no positive entry off the diagonal
# Attractive fields, generalised Laplacians: every partial correlation is positive or zero.
# %%
show("M-matrix", gallery.Attractive)
# %% [markdown]
# ## Blocks of variables that enter a column or not
# %%
show("blocks", gallery.Blocks)
# %% [markdown]
# ## Hubs: a penalty for each variable, learned
# %%
show("hubs", gallery.NodePenalties)
# %% [markdown]
# ## Known groups: a rule that reads which column it is
# %%
show("known groups", gallery.KnownGroups)
# %% [markdown]
# What torch's lines became, for one of them: the program that was trained, and that `spodnet info` prints of a model file.
# %%
print(gallery.layers_of(gallery.Attractive)[0].compile(gallery.P).formulas)
