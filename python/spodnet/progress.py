"""Progress bars (tqdm's) around callbacks, where they are asked for."""
from __future__ import annotations


class Bar:
    """with Bar(wanted, callback) as watch: ...; watch is the callback itself where no bar is wanted."""

    def __init__(self, wanted: bool, callback):
        self.wanted, self.callback, self.bar = wanted, callback, None

    def __enter__(self):
        if not self.wanted:
            return self.callback
        from tqdm.auto import tqdm

        self.tqdm = tqdm
        return self.step

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def show(self, what: str, at: int, total: int, unit: str) -> None:
        """A bar for each `what`, at so many of the total."""
        if self.bar is None or self.bar.desc != f"{what}: ":
            self.__exit__()
            self.bar = self.tqdm(total=total, desc=what, unit=unit)
        self.bar.update(at - self.bar.n)


class WorkBar(Bar):
    """Of graph and compare."""

    def step(self, what: str, fraction: float):
        self.show(what, round(100 * fraction), 100, "%")
        return self.callback(what, fraction) if self.callback else None


class TrainBar(Bar):
    def step(self, done: int, steps: int, epoch: int, loss: float):
        self.show("train", done, steps, "step")
        self.bar.set_postfix(epoch=epoch, loss=f"{loss:.4g}")
        return self.callback(done, steps, epoch, loss) if self.callback else None
