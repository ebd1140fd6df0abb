"""Problems as files: a batch (S, Theta_true) and weights, the same for every contender."""
import json
import struct
from pathlib import Path

import numpy as np

DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8"}


def read_safetensors(path):
    """metadata, name -> array."""
    raw = Path(path).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, x in header.items():
        begin, end = x["data_offsets"]
        arrays[name] = np.frombuffer(raw[start + begin:start + end], DTYPES[x["dtype"]]).reshape(x["shape"]).copy()
    return metadata, arrays


def write_safetensors(path, arrays, metadata):
    header, blobs, at = {"__metadata__": metadata}, [], 0
    for name, array in arrays.items():
        raw = np.asarray(array).astype("<f8").tobytes()
        header[name] = {"dtype": "F64", "shape": list(np.shape(array)), "data_offsets": [at, at + len(raw)]}
        blobs.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def under(arrays, prefix):
    return {name[len(prefix):]: x for name, x in arrays.items() if name.startswith(prefix)}


def gradient_error(grads, reference):
    """Largest ||a - b|| / max(||b||, 1e-6 ||all gradients||) over the tensors."""
    assert grads.keys() == reference.keys(), "not the same parameters"
    floor = 1e-6 * np.sqrt(sum(np.sum(b * b) for b in reference.values()))
    return max(np.linalg.norm(np.asarray(grads[name]) - b) / max(np.linalg.norm(b), floor)
               for name, b in reference.items())


def make_batch(count, p, n=100, alpha=0.95, seed=0):
    """S of n centred Gaussian samples and the sparse Theta_true behind them, [count, p, p] each."""
    rng = np.random.RandomState(seed)
    S, Theta_true = np.empty((2, count, p, p))
    for k in range(count):
        A = np.tril(rng.uniform(0.1, 0.9, (p, p)) * (rng.uniform(size=(p, p)) > alpha), -1)
        order = rng.permutation(p)
        L = A[order].T[order] - np.eye(p)
        Theta_true[k] = L.T @ L + 0.1 * np.eye(p)
        X = np.linalg.solve(np.linalg.cholesky(Theta_true[k]).T, rng.standard_normal((p, n))).T
        X -= X.mean(0)
        S[k] = X.T @ X / n
    return S, Theta_true


def make_problem(path, model, p, count, seed=0):
    """Writes a batch and the first weights of a model (uniform in +-1/sqrt(fan_in), as PyTorch's)."""
    S, Theta_true = make_batch(count, p, seed=seed)
    rng = np.random.RandomState(seed)
    widths = {"g": [3, 3, 3, 1], "f.lambda": [1, 5, 1]}
    if model in ("ubg", "pnp"):
        widths["f.gamma"] = [p - 1, max(1, p // 2), 1]
    if model == "pnp":
        widths["f.psi"] = [p - 1, 2 * p, p - 1]
    if model == "e2e":
        widths["f.phi"] = [p - 1, 10 * p, p - 1]
    arrays = {"S": S, "Theta_true": Theta_true}
    for part, sizes in widths.items():
        for k, (m, n) in enumerate(zip(sizes, sizes[1:])):
            arrays[f"param.{part}.{k}.weight"] = rng.uniform(-1, 1, (n, m)) / np.sqrt(m)
            arrays[f"param.{part}.{k}.bias"] = rng.uniform(-1, 1, n) / np.sqrt(m)
    write_safetensors(path, arrays, {"model": model, "p": str(p), "layers": "1"})
