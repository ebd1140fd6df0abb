"""Models of the core as torch modules: forward and backward of the whole network in one call of the core each."""
from __future__ import annotations

import contextlib
import functools
import multiprocessing.context
import warnings

import torch
from torch import nn

from .. import _core
from .derivatives import first_derivatives_only
from .layer import NumericalWarning
from .matrices import F64, check_square, entry_of, faults_of, not_compiled, place_in, traced
from .program import Lease
from .sizes import by_size


class ModelFunction(torch.autograd.Function):
    """Theta and W of S; the gradient of W is taken with W = Theta^{-1}."""

    @staticmethod
    def forward(ctx, module, stopped, S, n, *weights):
        ctx.set_materialize_grads(False)
        B, p, _ = S.shape
        ctx.inputs = (S, *weights)
        ctx.lease, ctx.spent, ctx.shapes = module._borrow(S.device), False, module._shapes
        ctx.like = [(w.device, w.dtype) for w in weights] if module._moved(weights) else None
        flat = module._block if ctx.like is None else torch.cat([w.detach().reshape(-1).to(F64) for w in weights]).cpu()
        Theta, W = torch.empty_like(S), torch.empty_like(S)
        with on_device(S):
            stopped += ctx.lease.walk.forward(flat.data_ptr(), S.data_ptr(), n.data_ptr(), B, p, Theta.data_ptr(),
                                              W.data_ptr())
        ctx.save_for_backward(S, n, W)
        return Theta, W

    @staticmethod
    @first_derivatives_only("a SpodLayer with mode='autograd' has the second")
    def backward(ctx, d_Theta, d_W):
        S, n, W = ctx.saved_tensors
        walk = ctx.lease.walk
        if ctx.spent:  # the core's tape is used up: walk again, with the weights it has
            Theta, W_ = torch.empty_like(W), torch.empty_like(W)
            with on_device(S):
                walk.forward(0, S.data_ptr(), n.data_ptr(), S.size(0), S.size(1), Theta.data_ptr(), W_.data_ptr())
        ctx.spent = True
        G = torch.zeros_like(W) if d_Theta is None else d_Theta
        if d_W is not None:
            G = G - W @ d_W.transpose(1, 2) @ W
        d_flat = torch.empty(walk.size, dtype=F64, device="cpu")
        d_S = torch.empty_like(S) if ctx.needs_input_grad[2] else None
        if S.is_cuda:
            G = (0.5 * (G + G.transpose(1, 2))).contiguous()
            with on_device(S):
                walk.backward_symmetric(G.data_ptr(), d_flat.data_ptr())
        else:
            G = G.contiguous()
            walk.backward(G.data_ptr(), d_flat.data_ptr(), 0 if d_S is None else d_S.data_ptr())
        if ctx.like is not None:
            d_flat = d_flat.to(ctx.like[0][0])
        sizes, shapes = ctx.shapes
        grads = [d.view(shape) for d, shape in zip(d_flat.split(sizes), shapes)] if len(sizes) > 1 else [d_flat]
        if ctx.like is not None:
            grads = [d.to(*like) for d, like in zip(grads, ctx.like)]
        return None, None, d_S, None, *grads


class CoreModule(nn.Module):
    """A model of the core; its parameters have the names of the model file.

    flat: one parameter, `weights`, holds them all, and a step of an optimizer costs a fraction; state_dict has the
    names all the same.
    """

    def __init__(self, core: "_core.CoreModel", threads: int = 1, flat: bool = False):
        super().__init__()
        self._core, self._threads, self._walks, self._at = core, threads, {}, []
        values = core.parameters
        self._named = {name: x.shape for name, x in values.items()}
        parts = {name: torch.tensor(x, dtype=F64, device="cpu") for name, x in values.items()}
        for name, part in ({"weights": torch.cat([x.reshape(-1) for x in parts.values()])} if flat else parts).items():
            self._register(name, part)
        self._shapes = [x.numel() for x in self._weights()], [x.shape for x in self._weights()]
        self._gather()
        default = torch.empty(0).device
        if default.type != "cpu":
            self.to(default)

    def _gather(self):
        """Lays all weights into one block, in the core's order: nothing is copied before a call. Those that other
        processes share stay where they are."""
        weights = self._weights()
        self._block, self._addresses = None, None
        if not all(w.is_leaf and w.device.type == "cpu" and w.dtype == F64 and not w.is_shared() for w in weights):
            return
        self._block = torch.cat([w.detach().reshape(-1) for w in weights])
        for w, part in zip(weights, self._block.split(self._shapes[0])):
            w.data = part.view(w.shape)
        self._addresses = [w.data_ptr() for w in weights]

    def _scatter(self):
        """Each weight in memory of its own."""
        for w in self._weights() if self._block is not None else ():
            w.data = w.data.clone()
        self._block, self._addresses = None, None

    def _register(self, name, part):
        owner: nn.Module = self
        *path, place = name.split(".")
        for step in path:
            if step not in owner._modules:
                owner.add_module(step, nn.Module())
            owner = owner._modules[step]
        owner.register_parameter(place, nn.Parameter(part))
        self._at.append((path, place))

    def _parts(self, block):
        """The views of a block of all weights, by their names."""
        sizes = [shape.numel() for shape in map(torch.Size, self._named.values())]
        return {name: x.view(shape) for (name, shape), x in zip(self._named.items(), block.split(sizes))}

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        if "weights" not in self._parameters:
            return super()._save_to_state_dict(destination, prefix, keep_vars)
        block = self.weights if keep_vars else self.weights.detach()
        destination.update({prefix + name: x for name, x in self._parts(block).items()})

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        if "weights" not in self._parameters:
            return super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                                 unexpected_keys, error_msgs)
        with torch.no_grad():
            for name, mine in self._parts(self.weights).items():
                x = state_dict.get(prefix + name)
                if x is None:
                    missing_keys.append(prefix + name)
                elif x.shape != mine.shape:
                    error_msgs.append(f"{prefix + name}: shape {tuple(x.shape)}, this model has {tuple(mine.shape)}")
                else:
                    mine.copy_(x)
        unexpected_keys.extend(k for k in state_dict if k.startswith(prefix) and k[len(prefix):] not in self._named)

    def _weights(self):
        out = []
        for path, place in self._at:
            owner = self
            for step in path:
                owner = owner._modules[step]
            w = owner._parameters.get(place)
            if w is None:  # pruned or normalised: made again of others, as a call of its owner would
                for hook in owner._forward_pre_hooks.values():
                    hook(owner, ())
                w = getattr(owner, place)
            out.append(w)
        return out

    def _moved(self, weights) -> bool:
        """Whether a weight no longer lies in the block (.to(), .float(), a copy)."""
        return [w.data_ptr() for w in weights] != self._addresses

    def _borrow(self, device):
        pool = self._walks.setdefault(str(device), [])
        walk = pool.pop() if pool else _core.ModelWalk(self._core, self._threads, str(device))
        return Lease(walk, pool)

    @not_compiled
    def forward(self, S, n=None):
        """Theta and W = Theta^{-1}, [..., p, p], for covariances S of n samples (a number, or one for each). A model for
        any size takes a list of matrices whose p differ, too, and answers with lists.

        A tensor of a GPU is computed there if the core was built with CUDA (spodnet._core.gpu_count() > 0) and no
        gradient of S is asked for; else on the CPU. The results are on S's device either way.
        """
        if isinstance(S, (list, tuple)):
            return by_size(self._of_one_size, type(self).__name__, n, S=S)
        return self._of_one_size(S, n)

    def _of_one_size(self, S, n=None, places=None):
        who = type(self).__name__
        shape = check_square(S, "S", who)
        places = shape[:-2] if places is None else places
        p, any_size = shape[-1], self._core.any_size
        if not any_size and p != self._core.p:
            raise ValueError(f"{who}: S has p = {p}, this model is for p = {self._core.p}")
        if traced(S):
            raise RuntimeError(f"{who}: torch.func, torch.export and other tracers do not see into the core: SpodLayer(f, g) "
                               "records plain operations there")
        if n is None and any_size:
            raise ValueError(f"{who}: a model for any size reads n: give n=, the number of samples")
        wide, bad = usable_part(S.reshape(-1, p, p).to(place_of(S), F64).contiguous(), S, who, places)
        numbers, stopped = numbers_of(n, len(wide), any_size, who), []
        try:
            Theta, W = ModelFunction.apply(self, stopped, wide, numbers, *self._weights())
        except _core.Error as error:
            self._say_which(wide, numbers, places, error)
        if bad is not None:
            Theta, W = (torch.where(bad, torch.full_like(A, float("nan")), A) for A in (Theta, W))
            stopped = sorted([*stopped, *((int(k), "not_finite") for k in bad.view(-1).nonzero())])
        if stopped:
            warn(stopped, places, who)
        if S.dtype != F64 or S.device != Theta.device:
            Theta, W = Theta.to(S.device, S.dtype), W.to(S.device, S.dtype)
        return (Theta, W) if S.dim() == 3 else (Theta.reshape(shape), W.reshape(shape))

    def _say_which(self, S, n, batch_shape, error):
        """The core's error again, with the first matrix that has it."""
        who = type(self).__name__
        with torch.no_grad():
            for k in range(len(S)):
                try:
                    ModelFunction.apply(self, [], S[k:k + 1], n[k:k + 1], *self._weights())
                except _core.Error as its:
                    raise ValueError(f"{who}: {entry_of('S', k, batch_shape)}: {its}") from None
        raise error

    def sync(self) -> "_core.CoreModel":
        """The core's model with this module's weights."""
        parts = self._parts(torch.cat([x.detach().reshape(-1).to("cpu", F64) for x in self._weights()]))
        for name, x in self._core.parameters.items():
            x[...] = parts[name].numpy()
        return self._core

    def extra_repr(self) -> str:
        return ", ".join(f"{k}={v}" for k, v in self._core.config.items() if "." not in k and k not in ("format", "program"))

    def __getstate__(self):
        from ..model import Model

        if multiprocessing.context.get_spawning_popen() is not None:  # torch cannot hand the same memory over twice
            self._scatter()
        return {**self.__dict__, "_core": Model(self.sync()), "_walks": {}, "_block": None, "_addresses": None}

    def __setstate__(self, state):
        super().__setstate__({**state, "_core": state["_core"]._core})
        self._gather()


@functools.lru_cache(maxsize=None)
def gpus() -> int:
    return _core.gpu_count()


def place_of(S: torch.Tensor):
    """The device that computes: the GPU that S lies on, where the core has an engine for it, else the CPU."""
    wants_gradient = S.requires_grad and torch.is_grad_enabled()
    return S.device if S.is_cuda and not wants_gradient and gpus() > S.device.index else "cpu"


def on_device(S: torch.Tensor):
    """Around a call of the core with addresses of S's device: torch's own work there is done before."""
    if not S.is_cuda:
        return contextlib.nullcontext()
    torch.cuda.current_stream(S.device).synchronize()
    return torch.cuda.device(S.device)


def usable_part(wide: torch.Tensor, S: torch.Tensor, who: str, places):
    """wide with the identity where a matrix is not finite, and which these are (None: none is). They come out as they
    went in, not finite. What is symmetric but for rounding becomes symmetric."""
    faults = faults_of(wide.detach(), S.dtype)
    if not faults:
        return wide, None
    if 2 in faults:
        raise ValueError(f"{who}: {entry_of('S', faults.index(2), places)} is not symmetric: pass (S + S.mT) / 2")
    if 3 in faults:
        wide = (wide + wide.transpose(1, 2)) / 2
    bad = torch.tensor([fault == 1 for fault in faults], device=wide.device).view(-1, 1, 1)
    if not bool(bad.any()):
        return wide, None
    return torch.where(bad, torch.eye(wide.size(1), dtype=F64, device=wide.device), wide), bad


def numbers_of(n, count: int, needed: bool, who: str) -> torch.Tensor:
    """Samples behind each matrix; 0 where the model does not read it."""
    if n is None:
        return torch.zeros(count, dtype=F64, device="cpu")
    n = torch.as_tensor(n, dtype=F64, device="cpu").detach().reshape(-1)
    if n.numel() not in (1, count):
        raise ValueError(f"{who}: n has {n.numel()} numbers for {count} matrices")
    if needed and not bool((n > 0).all()):
        raise ValueError(f"{who}: n is the number of samples behind each S, above 0: {n[~(n > 0)][0]:g} is not")
    return n.expand(count).contiguous()


def warn(stopped, batch_shape, who):
    names = ", ".join(f"{place_in(k, batch_shape)} ({status})" for k, status in stopped[:5])
    more = f" and {len(stopped) - 5} more" if len(stopped) > 5 else ""
    warnings.warn(f"{who}: {len(stopped)} of the batch stopped early and have no gradient: matrix {names}{more}",
                  NumericalWarning, stacklevel=3)
