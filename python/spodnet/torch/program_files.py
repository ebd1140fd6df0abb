"""Layers of torch as a model of the core, and their weights back."""
from __future__ import annotations

import torch

from .. import _core
from .capture import OtherSize, Refused
from .layer import SpodLayer
from .matrices import F64
from .program import Rule, difference
from .program_text import capture

ANY = 7  # where a capture is tried for any number of variables


class LayerModel:
    """The core's model of a layer, or of a list of them; a layer that is there more than once is tied."""

    def __init__(self, layers, offset=1.0, p: int | None = None):
        layers = [layers] if isinstance(layers, SpodLayer) else list(layers)
        if not layers or not all(isinstance(x, SpodLayer) for x in layers):
            raise TypeError("a program's model is made of a SpodLayer or a list of them")
        first = layers[0]
        self.tied = len(layers) > 1 and all(x is first for x in layers)
        for x in layers:
            if (x.scaling, x.zeta, x.v_min) != (first.scaling, first.zeta, first.v_min):
                raise ValueError("all layers of a model file have one scaling, zeta and v_min")
        self.rules = [rule_of(x, p) for x in (layers[:1] if self.tied else layers)]
        known = {rule.program.p for rule in self.rules if rule.program.p}
        texts = [rule.program.text for rule in self.rules]
        programs = {"program": texts[0]} if len(set(texts)) == 1 else {f"program.{k}": x for k, x in enumerate(texts)}
        self.core = _core.make_model({
            "model": "program", "p": str(min(known)) if known else "any", "layers": str(len(layers)),
            "tied": str(self.tied).lower(), "scaling": first.scaling, "zeta": repr(first.zeta), "v_min": repr(first.v_min),
            "init_offset": offset if offset == "learned" else repr(float(offset)), **programs}, {}, 0)
        self.write()

    def pairs(self):
        """(tensor of torch, array of the core) of each weight."""
        arrays = self.core.parameters
        for k, rule in enumerate(self.rules):
            for (name, _), x in zip(rule.program.weights, rule.weights):
                yield x, arrays[f"layers.{k}.{name}"]

    def write(self):
        for x, array in self.pairs():
            array[...] = x.detach().to("cpu", F64).numpy()

    def read(self):
        """The core's weights into the tensors."""
        with torch.no_grad():
            for x, array in self.pairs():
                x.copy_(torch.from_numpy(array.copy()))


def rule_of(layer, p) -> Rule:
    known = [size for rules in layer._programs.values() for rule in rules.values() if rule for size in rule.checked]
    size = p or (known[-1] if known else ANY)
    dtype = next((x.dtype for x in layer.parameters() if x.is_floating_point()), F64)
    try:
        rule = Rule(capture(layer, size, dtype))
    except OtherSize as error:
        rule, reason = None, str(error)
    except Refused as error:
        raise ValueError(f"the layer is no program: {error}") from None
    if rule is None or (rule.program.p and not p and not known):
        raise ValueError("the weights of the layer know the number of variables: give p=" +
                         ("" if rule else f" ({reason})"))
    if rule.program.reads("context0"):
        raise ValueError("a model file has no context: f must read nothing but the fields of its column")
    wrong = difference(layer, rule, size, dtype, (), None) if size > 1 else None
    if wrong is not None:
        raise ValueError(f"the layer is no program: {wrong}")
    return rule
