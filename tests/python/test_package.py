"""The package itself: versions, generate, train, Model, the command."""
import pickle
import re
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import spodnet
from spodnet.__main__ import command
from support import read_safetensors


def test_version_and_lazy_imports(request):
    root = request.config.rootpath
    declared = re.search(r"project\(spodnet VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
    assert spodnet.__version__ == declared
    out = subprocess.run([sys.executable, "-m", "spodnet", "--version"], check=True, capture_output=True, text=True)
    assert declared in out.stdout
    script = "import spodnet, sys; print(*[m for m in ('torch', 'sklearn', 'pandas') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == ""
    with pytest.raises(AttributeError):
        spodnet.nothing


def test_generate_is_the_command_lines(tmp_path):
    made = spodnet.generate(6, 30, alpha=0.8, count=4, seed=5, samples=True)
    assert made["S"].shape == made["Theta_true"].shape == (4, 6, 6) and made["X"].shape == (4, 30, 6)
    file = tmp_path / "data.safetensors"
    subprocess.run([command(), "generate", "--p", "6", "--n", "30", "--alpha", "0.8", "--count", "4", "--seed", "5",
                    "--samples", "-o", str(file)], check=True, capture_output=True)
    _, theirs = read_safetensors(file)
    assert all(np.array_equal(theirs[name], made[name]) for name in ("S", "Theta_true", "X"))
    X = made["X"][0] - made["X"][0].mean(0)
    assert np.allclose(X.T @ X / 30, made["S"][0])
    for bad in (dict(alpha=2.0), dict(generator="nothing"), dict(alpha="x")):
        with pytest.raises(ValueError):
            spodnet.generate(5, 10, count=1, **bad)


def test_train_save_load_estimate(tmp_path):
    seen = []
    model = spodnet.train("ubg", p=6, n=60, alpha=0.8, count=60, epochs=8, seed=1, scaling="clip",
                          callback=lambda *at: seen.append(at))
    assert seen and seen[-1][0] == seen[-1][1] and len(model.history["epoch"]) == 8
    assert np.nanmin(model.history["valid_nmse"]) < model.history["valid_nmse"][0] * 1.001
    model.save(tmp_path / "m.safetensors")
    again = spodnet.Model.load(tmp_path / "m.safetensors")
    test = spodnet.generate(6, 60, alpha=0.8, count=5, seed=99)
    out = again.estimate_all(test["S"], 60)
    one = again.estimate(test["S"][2], 60)
    assert np.array_equal(one["Theta"], out["Theta"][2]) and one["status"] == "ok" and one["residual"] < 1e-9
    assert np.array_equal(pickle.loads(pickle.dumps(model)).estimate(test["S"][0], 60)["Theta"], out["Theta"][0])
    assert again.config["model"] == "ubg" and "train.epochs" in again.config
    weights = again.parameters["layers.0.g.2.bias"]
    weights += 1.0  # a view
    assert not np.array_equal(again.estimate(test["S"][2], 60)["Theta"], one["Theta"])
    fewer = again.estimate(test["S"][2], 60, sparsity=5.0)
    assert (fewer["Theta"] == 0).sum() >= (one["Theta"] == 0).sum()
    longer = spodnet.train(model, S=test["S"], Theta_true=test["Theta_true"], n=60, epochs=2, valid=0)
    assert longer is model


def test_training_on_given_arrays_is_the_same_on_any_number_of_threads():
    data = spodnet.generate(5, 40, alpha=0.8, count=30, seed=2)
    runs = [spodnet.train("ubg", S=data["S"], Theta_true=data["Theta_true"], n=40, epochs=3, n_jobs=k)
            for k in (1, 2)]
    for name, x in runs[0].parameters.items():
        assert np.array_equal(x, runs[1].parameters[name])


def test_progress_bars(capsys):
    pytest.importorskip("tqdm")
    seen = []
    model = spodnet.train("ubg", p=4, n=20, count=20, epochs=3, progress=True, callback=lambda *at: seen.append(at))
    assert len(model.history["epoch"]) == 3 and "train" in capsys.readouterr().err and seen
    X = np.random.RandomState(0).randn(60, 6)
    seen.clear()
    spodnet.graph(X, method="glasso-cv", bootstrap=3, cache=False, progress=True, callback=lambda *at: seen.append(at))
    assert "%" in capsys.readouterr().err and seen  # however soon it is over
    with pytest.raises(ValueError, match="stopped"):
        spodnet.graph(X, method="glasso-cv", bootstrap=10**6, cache=False, progress=True, callback=lambda *_: False)


class NoTruth:
    def __bool__(self):
        raise KeyError("no truth")


def test_answers_of_a_callback():
    """None or something true goes on, as an if would take it; NumPy's truth values are none of Python's."""
    data = dict(p=4, n=20, count=20, valid=0)
    for answer in (None, np.True_, 1):
        assert len(spodnet.train("ubg", epochs=3, callback=lambda *_: answer, **data).history["epoch"]) == 3
    for answer in (np.False_, 0):
        assert len(spodnet.train("ubg", epochs=10**6, callback=lambda *_: answer, **data).history["epoch"]) < 10**6
    X = np.random.RandomState(0).randn(100, 20)
    options = dict(method="glasso-cv", bootstrap=10**6, cache=False)
    with pytest.raises(ValueError, match="stopped"):
        spodnet.graph(X, callback=lambda *_: np.False_, **options)
    for call in (lambda: spodnet.train("ubg", epochs=10**6, callback=lambda *_: NoTruth(), **data),
                 lambda: spodnet.graph(X, callback=lambda *_: NoTruth(), **options)):
        with pytest.raises(KeyError, match="no truth"):
            call()


def test_stopping():
    data = dict(p=8, n=40, count=200, epochs=10**9)  # without end
    assert isinstance(spodnet.train("ubg", callback=lambda step, *_: step < 5, **data), spodnet.Model)

    def fails(*_):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        spodnet.train("ubg", callback=fails, **data)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT)).start()
        spodnet.train("ubg", **data)


def test_wrong_arguments():
    S = np.eye(3)[None]
    for call, words in ((lambda: spodnet.train("ubg"), "give S"),
                        (lambda: spodnet.train("x", p=4, n=9, count=2), "one of"),
                        (lambda: spodnet.train("ubg", S=S, Theta_true=S[:, :2], n=3), "shape"),
                        (lambda: spodnet.train("ubg", S=S, n=3), "Theta_true"),
                        (lambda: spodnet.train("ubg", p=4, n=9, count=2, loss="x"), "x"),
                        (lambda: spodnet.generate(-1, 9, count=2), "p=-1"),
                        (lambda: spodnet.generate(4, 9, count=2.5), "count=2.5"),
                        (lambda: spodnet.train("ubg", p=4, n=9, count=2, batch=0), "batch=0"),
                        (lambda: spodnet.train("ubg", p=4, n=9, count=2, epochs=-1), "epochs=-1"),
                        (lambda: spodnet.Model.make("ubg"), "give p"),
                        (lambda: spodnet.Model.make("ubg", 4, scaling="x"), "scaling"),
                        (lambda: spodnet.Model.load("nowhere.safetensors"), "nowhere"),
                        (lambda: spodnet.Model.pretrained("x"), "paper"),
                        (lambda: spodnet.Model.make("ubg", 3).estimate(S, 3), r"\(p, p\)"),
                        (lambda: spodnet.Model.make("ubg", 3).estimate(np.eye(4), 3), "4")):
        with pytest.raises(ValueError, match=words):
            call()


LONG = {
    "train": "spodnet.train('ubg', p=20, n=50, count=200, epochs=10**9, n_jobs=2, callback=lambda *_: True)",
    "graph": "spodnet.graph(X, method='glasso-cv', bootstrap=10**6, cache=False, n_jobs=2, callback=lambda *_: True)",
    "fit": "[spodnet.SpodPrecision().fit(X) for _ in range(10**6)]",
}


@pytest.mark.parametrize("work", LONG)
def test_the_interpreter_ends_while_a_thread_works(work):
    """No waiting for the thread, and no abort in the middle of it."""
    script = ("import threading, time, warnings, numpy as np, spodnet\n"
              "warnings.simplefilter('ignore')\n"
              "X = np.random.RandomState(0).randn(200, 30)\n"
              "spodnet.SpodPrecision().fit(X)\n"
              f"threading.Thread(target=lambda: {LONG[work]}, daemon=True).start()\n"
              "time.sleep(0.5)\n")  # any moment will do
    out = subprocess.run([sys.executable, "-c", script], timeout=600, capture_output=True, text=True)
    assert out.returncode == 0 and out.stderr == ""


def test_a_torch_that_cannot_read_this_numpy(monkeypatch):
    torch = pytest.importorskip("torch")
    from spodnet.torch.numpy_bridge import check_numpy

    def refuse(array):
        raise RuntimeError("Numpy is not available")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_numpy()
    monkeypatch.setattr(torch, "from_numpy", refuse)
    with pytest.warns(RuntimeWarning, match="numpy<2"):
        check_numpy()
