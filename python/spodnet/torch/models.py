"""The paper's models as torch modules."""
from __future__ import annotations

import torch

from .. import _core
from ..model import settings_of
from .core_module import CoreModule


def _module(name, p, seed, widths, threads, settings):
    if seed is None:
        seed = int(torch.randint(2**31, (1,), device="cpu"))
    return _core.make_model(settings_of(name, p, **settings), dict(widths or {}), seed), threads


class UBG(CoreModule):
    """z = theta_12 - gamma(theta_12) (s_12 - w_12), Eq. (7)."""

    name = "ubg"

    def __init__(self, p, layers=1, tied=False, scaling="normalize", *, zeta=1.0, init_offset=1.0, v_min=1e-8,
                 widths=None, seed=None, threads=1, flat=False):
        super().__init__(*_module(self.name, p, seed, widths, threads, dict(
            layers=layers, tied=tied, scaling=scaling, zeta=zeta, init_offset=init_offset, v_min=v_min)), flat=flat)


class PNP(UBG):
    """A denoiser after the gradient step, Eq. (8)."""

    name = "pnp"


class E2E(UBG):
    """z = phi(theta_12), Eq. (9)."""

    name = "e2e"


class UBGAny(CoreModule):
    """UBG with weights for any number of variables; forward(S, n)."""

    name = "ubg-any"

    def __init__(self, layers=1, tied=False, scaling="normalize", *, zeta=1.0, init_offset=1.0, v_min=1e-8,
                 standardized=False, summary=False, widths=None, seed=None, threads=1, flat=False):
        super().__init__(*_module(self.name, None, seed, widths, threads, dict(
            layers=layers, tied=tied, scaling=scaling, zeta=zeta, init_offset=init_offset, v_min=v_min,
            standardized=standardized, summary=summary)), flat=flat)


class PNPAny(UBGAny):
    """PNP with weights for any number of variables; forward(S, n)."""

    name = "pnp-any"


class ProgramModel(CoreModule):
    """A model file whose rule is a program (save_model of a SpodLayer); forward(S, n)."""

    name = "program"

    def __init__(self, path, threads=1, flat=False):
        super().__init__(_core.load_model(path), threads, flat)

    @property
    def formulas(self) -> str:
        """The program as a person reads it."""
        texts = {k: x for k, x in self._core.config.items() if k.split(".")[0] == "program"}
        return "\n".join(_core.Program.parse(x).formulas for _, x in sorted(texts.items()))
