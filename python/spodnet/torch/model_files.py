"""Modules from model files and from the authors' weights, and back."""
from __future__ import annotations

import os

import torch

from .. import _core
from ..model import settings_of
from .core_module import CoreModule
from .layer import SpodLayer
from .matrices import F64
from .models import E2E, PNP, UBG, PNPAny, ProgramModel, UBGAny
from .program_files import LayerModel

CLASSES = {c.name: c for c in (UBG, PNP, E2E, UBGAny, PNPAny, ProgramModel)}


def wrap(core: "_core.CoreModel", threads: int = 1, flat: bool = False) -> CoreModule:
    kind = core.config["model"]
    if kind not in CLASSES:
        raise ValueError(f"model {kind!r} has no module: they are {', '.join(CLASSES)}")
    module = CLASSES[kind].__new__(CLASSES[kind])
    CoreModule.__init__(module, core, threads, flat)
    return module


def load_model(path, threads: int = 1, flat: bool = False) -> CoreModule:
    """The module of a model file."""
    return wrap(_core.load_model(os.fspath(path)), threads, flat)


def save_model(model, path, offset=1.0, p: int | None = None) -> None:
    """A model file that C++, the command line and spodnet.Model read.

    Args:
        model: A module of this package (UBG, ...), a SpodLayer or a list of them: f, threshold and g as a program.
        offset: a in the start W = S + a I of a SpodLayer's model, or "learned".
        p: The number of variables, where the weights of a SpodLayer know it and it was not called yet.
    """
    if isinstance(model, CoreModule):
        return model.sync().save(os.fspath(path))
    if isinstance(model, (list, tuple, torch.nn.ModuleList, SpodLayer)):
        return LayerModel(model, offset, p).core.save(os.fspath(path))
    raise TypeError(f"save_model: a {type(model).__name__} has no model file; save its state_dict()")


def load_reference_state_dict(state, layers: int = 1) -> CoreModule:
    """The module with the weights of the authors' SpodNet (its state_dict); K layers share them."""
    g, f = "forward_stack.alpha_learner.", "forward_stack.theta_12_generator."
    known = {"gamma_learner": "gamma", "psi_learner": "psi", "phi_learner": "phi", "st_param_learner": "lambda"}
    weights, widths, p = {}, {}, None
    for key, x in state.items():
        if key.startswith(g):
            place, kind = key[len(g):].split(".")
            x = x[:, [2, 1, 0]] if (place, kind) == ("0", "weight") else x  # theirs reads (q, s_22, theta_22)
            weights[f"layers.0.g.{int(place) // 2}.{kind}"] = x
        elif key.startswith(f) and key[len(f):].split(".")[0] in known:
            part, place, kind = key[len(f):].split(".")
            weights[f"layers.0.f.{known[part]}.{int(place) // 2}.{kind}"] = x
            if (place, kind) == ("0", "weight"):
                widths[known[part]] = x.shape[0]
                p = p if known[part] == "lambda" else x.shape[1] + 1
    if p is None:
        raise ValueError("load_reference_state_dict: these are not the weights of the authors' SpodNet")
    model = "e2e" if "phi" in widths else "pnp" if "psi" in widths else "ubg"
    settings = settings_of(model, p, layers=layers, tied=layers > 1, v_min=0.0)
    module = wrap(_core.make_model(settings, widths, 0))
    module.load_state_dict({k: torch.as_tensor(x, dtype=F64) for k, x in weights.items()})
    return module
