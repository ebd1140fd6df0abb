"""generate, train and Model: the paper's experiments from Python."""
from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Callable, Mapping

import numpy as np

from . import _core
from .counts import number, threads_of, whole
from .progress import TrainBar

HISTORY = ("epoch", "train_loss", "train_nmse", "valid_nmse", "valid_f1", "valid_f1_offdiag", "eig_min", "condition",
           "density", "seconds")


def generate(p: int, n: int, *, alpha=0.95, count: int = 1000, seed: int = 0, generator: str = "sparse-cholesky",
             samples: bool = False, centred: bool = True, n_jobs: int | None = None) -> dict[str, np.ndarray]:
    """Synthetic problems: a dict of S and Theta_true [count, p, p] and, with samples=True, X [count, n, p].

    Args:
        p: Variables.
        n: Samples behind each S.
        alpha: Sparsity, a number, a list taken in turn, or "0.7:0.95" for a range.
        count: Matrices.
        seed: Matrix k depends on (seed, k) alone.
        generator: sparse-cholesky (the paper's), erdos-renyi, scale-free, small-world, hubs, bands, blocks, power-law,
            latent, grid, plane, tree, a list with commas, or mix.
        samples: Give the samples, too.
        centred: S about the mean of the samples.
        n_jobs: Threads; the result does not depend on it.
    """
    text = alpha if isinstance(alpha, str) else ",".join(repr(float(a)) for a in np.atleast_1d(alpha))
    return _core.generate(whole(p, "p", 1), whole(n, "n", 1), text, whole(count, "count"), whole(seed, "seed"), generator, samples,
                          centred, threads_of(n_jobs))


def settings_of(model: str, p: int | None, *, layers=1, tied=False, scaling="normalize", zeta=1.0, init_offset=1.0,
                v_min=1e-8, standardized=False, summary=False) -> dict[str, str]:
    """A model's configuration as a model file has it: all strings."""
    if model not in (names := _core.model_names()):
        raise ValueError(f"model {model!r}: it is one of {', '.join(names)}")
    any_size = model.endswith("-any")
    if p is None and not any_size:
        raise ValueError(f"model {model!r} is for one number of variables: give p=")
    settings = {"model": model, "p": "any" if any_size else str(int(p)), "layers": str(int(layers)),
                "tied": str(bool(tied)).lower(), "scaling": scaling, "zeta": repr(float(zeta)),
                "init_offset": init_offset if init_offset == "learned" else repr(float(init_offset)),
                "v_min": repr(float(v_min))}
    for name, value in (("standardized", standardized), ("summary", summary)):
        if value:
            settings[name] = "true"
    return settings


class Model:
    """A trained (or fresh) model; the same file serves C++, the command line, Python and torch."""

    def __init__(self, core: "_core.CoreModel"):
        self._core = core
        self.history: dict[str, np.ndarray] | None = None  # of `train`

    @classmethod
    def make(cls, model: str = "ubg", p: int | None = None, *, seed: int = 0,
             widths: Mapping[str, int] | None = None, **settings) -> "Model":
        """A model with fresh weights.

        Args:
            widths: Hidden widths that differ from the usual ones.
            settings: layers, tied, scaling, zeta, init_offset (a number or "learned"), v_min, standardized, summary.
        """
        return cls(_core.make_model(settings_of(model, p, **settings), dict(widths or {}), int(seed)))

    @classmethod
    def load(cls, path) -> "Model":
        """A model file (.safetensors), of Python, C++ or the command line."""
        return cls(_core.load_model(os.fspath(path)))

    @classmethod
    def pretrained(cls, form: str = "standardized") -> "Model":
        """One of the models that come with spodnet: paper, raw, standardized or tables."""
        return cls(_core.pretrained_model(form))

    def save(self, path) -> None:
        """Writes the model file that C++, the command line and spodnet.torch read."""
        self._core.save(os.fspath(path))

    @property
    def config(self) -> dict[str, str]:
        """As in the model file, information on the training among it."""
        return dict(self._core.config)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """The weights by name: views, which may be written to."""
        return self._core.parameters

    def estimate(self, S, n: float, *, sparsity: float = 1.0) -> dict:
        """Theta, W, status and residual for one covariance S of n samples."""
        S = np.ascontiguousarray(S, dtype=np.float64)
        if S.ndim != 2 or S.shape[0] != S.shape[1]:
            raise ValueError(f"S has shape {S.shape}: it must be (p, p); estimate_all takes several")
        out = self._core.estimate(S[None], [float(n)], float(sparsity))
        return {name: value[0] for name, value in out.items()}

    def estimate_all(self, S, n, *, sparsity: float = 1.0) -> dict:
        """The same for S [count, p, p]; n: one number, or one for each."""
        S = np.ascontiguousarray(S, dtype=np.float64)
        if S.ndim != 3 or S.shape[1] != S.shape[2]:
            raise ValueError(f"S has shape {S.shape}: it must be (count, p, p)")
        numbers = np.broadcast_to(np.asarray(n, dtype=np.float64), len(S)).tolist()
        return self._core.estimate(S, numbers, float(sparsity))

    def __repr__(self) -> str:
        c = self._core.config
        return f"Model({c['model']!r}, p={c['p']}, layers={c['layers']}, scaling={c['scaling']!r})"

    def __getstate__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.safetensors"
            self.save(path)
            return {"file": path.read_bytes(), "history": self.history}

    def __setstate__(self, state):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.safetensors"
            path.write_bytes(state["file"])
            self.__init__(_core.load_model(str(path)))
        self.history = state["history"]


def train(model: str | Model = "ubg", *, rule=None, S=None, Theta_true=None, n=None, p: int | str | None = None, alpha=0.95,
          count: int = 1000, fresh: bool = False, generator: str = "sparse-cholesky", valid: float = 0.1, epochs: int = 100,
          batch: int = 10, lr: float = 1e-2, loss: str = "mse", schedule: str = "constant", clip_grad: float = 0.0,
          patience: int = 0, skip_bad: int = 0, seed: int = 0, n_jobs: int | None = None, progress: bool = False,
          callback: Callable[[int, int, int, float], object] | None = None,
          widths: Mapping[str, int] | None = None, **settings) -> Model:
    """Trains a model and returns it with the weights of its best epoch; .history has a column for each measure.

    Data: S and Theta_true [count, p, p] and n, or p, n, alpha, count and generator for synthetic ones. Ctrl-C stops.

    Args:
        model: A name (then settings as Model.make's) or a Model to go on from, which is trained in place.
        rule: Instead: a spodnet.torch.SpodLayer or a list of them, trained in place without torch in the loop
            (settings: init_offset, a number or "learned").
        fresh: New matrices in every epoch, `count` of them; p and n may then be ranges, "20:60".
        valid: Share of the matrices set aside to choose the epoch by.
        loss: mse, nmse, support, likelihood, balanced or log-stein.
        settings: As Model.make's, of a fresh model; with a Model to go on from there are none.
        callback: callback(step, steps, epoch, loss) is called up to ten times a second; False stops.
        progress: A bar (needs tqdm).
    """
    if S is None and (p is None or n is None):
        raise ValueError("train: give S and Theta_true, or p and n for synthetic data")
    size = S.shape[1] if S is not None else int(p) if str(p).isdigit() else None
    layers = _layers(rule, size, settings) if rule is not None else None
    if isinstance(model, Model) and (settings or widths):
        raise ValueError(f"train: the model has its settings already, leave out {', '.join(settings) or 'widths'}")
    numbers = dict(epochs=whole(epochs, "epochs"), batch=whole(batch, "batch", 1), lr=number(lr, "lr"),
                   clip_grad=number(clip_grad, "clip_grad"), patience=whole(patience, "patience"),
                   skip_bad=whole(skip_bad, "skip_bad"), seed=whole(seed, "seed"))

    def made(size):
        if layers is not None:
            return Model(layers.core)
        return model if isinstance(model, Model) else Model.make(model, size, seed=seed, widths=widths, **settings)

    if fresh:
        if S is not None:
            raise ValueError("train: fresh=True makes the matrices: give p and n, not S")
        trained = made(size)
        text = alpha if isinstance(alpha, str) else ",".join(repr(float(a)) for a in np.atleast_1d(alpha))
        with TrainBar(progress, callback) as watch:
            result = _core.train_fresh(trained._core, str(p), str(n), text, whole(count, "count"), generator, float(valid),
                                       numbers, loss, schedule, threads_of(n_jobs), watch)
        return _finished(trained, result, layers)
    if S is None:
        data = generate(p, n, alpha=alpha, count=count, seed=seed, generator=generator, n_jobs=n_jobs)
        S, Theta_true = data["S"], data["Theta_true"]
    if Theta_true is None or n is None:
        raise ValueError("train: S needs Theta_true= and n=, the number of samples behind each")
    S, Theta_true = (np.ascontiguousarray(A, dtype=np.float64) for A in (S, Theta_true))
    if S.ndim != 3 or S.shape != Theta_true.shape:
        raise ValueError(f"train: S has shape {S.shape}, Theta_true {Theta_true.shape}: both are (count, p, p)")
    trained = made(S.shape[1])
    with TrainBar(progress, callback) as watch:
        result = _core.train(trained._core, S, Theta_true, np.broadcast_to(np.asarray(n, float), len(S)).tolist(),
                             float(valid), numbers, loss, schedule, threads_of(n_jobs), watch)
    return _finished(trained, result, layers)


def _layers(rule, p, settings):
    """The model of layers of torch."""
    from .torch.program_files import LayerModel

    unknown = set(settings) - {"init_offset"}
    if unknown:
        raise ValueError(f"train: the layers have their own settings; {', '.join(sorted(unknown))} cannot be given")
    return LayerModel(rule, settings.get("init_offset", 1.0), p)


def _finished(trained: Model, result: dict, layers) -> Model:
    if layers is not None:
        layers.read()
    trained.history = {name: np.array([row[k] for row in result["history"]]) for k, name in enumerate(HISTORY)}
    if result["status"] not in ("ok", "interrupted"):
        warnings.warn(result["message"], RuntimeWarning, stacklevel=3)
    return trained
