#!/usr/bin/env python3
"""The table of docs/scale.md: what a training step of several processes should cost.

    bench/scale_model.py [--spodnet build/bin/spodnet] [--parts 4] [--measured FILE] [--save FILE]

Measures, on one core: the parameters N of each model and the seconds of a part for p = 20, 100, 300. From these the
time of a step of R processes of one thread each:

    T(R) = T_part ceil(P / R) + T_messages(R)

P is the number of parts of a batch (Engine::parts), T_part the time of one. Each process sends its parts' gradients
to the owners of the slices and then its slice to everyone (8 N P / R bytes and 8 N / R bytes R times); where
P N <= 8192 numbers, all gradients to everyone in one message. Messages of Open MPI: an exchange takes one latency
and the bytes that a process sends and receives; a gather of less than 50 kB ceil(log2 R) latencies (Bruck), of more
R - 1 (ring).

--save keeps the measurements in a file, --measured takes them from it: the table is then arithmetic alone.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile

# Matrices of a part; of UBG with AVX-512, above p = 64 one.
MODELS = {"ubg": 16, "pnp": 5, "e2e": 5, "pnp-any": 1, "glad": 1}
SIZES = (20, 100, 300)
RANKS = (2, 8, 32, 128, 1024)
NETWORKS = [(gbit, us) for gbit in (10, 100) for us in (2, 20)]
FEW, BRUCK = 8192, 50_000


def message_seconds(N, P, R, matrices, gbit, us):
    """Seconds that the messages of a step take, and the bytes that one process sends."""
    latency, rate = 1e-6 * us, 1e9 * gbit / 8
    extra = 8 * (4 * matrices / R + 1)
    if P * N <= FEW:
        own, exchange, sent = 8 * N * P / R + extra, 0.0, 0.0
    else:
        sent = 8 * N * math.ceil(P / R) * (R - 1) / R
        own, exchange = 8 * N / R + extra, latency + sent / rate
    total = own * (R - 1)
    rounds = math.ceil(math.log2(R)) if own * R < BRUCK else R - 1
    return exchange + rounds * latency + total / rate, sent + total


def step_seconds(one, P, R, gbit, us):
    """Of P parts by R processes, and the bytes that one of them sends."""
    matrices = P * one["part"]
    messages, sent = message_seconds(one["parameters"], P, R, matrices, gbit, us)
    return one["part_seconds"] * math.ceil(P / R) + messages, sent


def measure(spodnet, model, p):
    """Parameters, and the seconds of a part by one thread."""
    part = 1 if model == "ubg" and p > 64 else MODELS[model]
    epochs, parts = {20: (60, 4), 100: (4, 3), 300: (2, 1)}[p]
    count = str(part * parts)
    with tempfile.TemporaryDirectory() as folder:
        words = [spodnet, "train", "--model", model, "--p", str(p), "--n", "100", "--count", count, "--batch", count,
                 "--epochs", str(epochs), "--valid", "none", "--threads", "1", "--json", "-o", folder + "/m.safetensors"]
        out = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return {"model": model, "p": p, "parameters": out["parameters"], "part": part,
            "part_seconds": out["seconds_per_step"] / parts}


def efficiency(one, P, R, network):
    return one["part_seconds"] * P / (R * step_seconds(one, P, R, *network)[0])


def table(measured, parts_each):
    """One row for each model and size: R processes with `parts_each` parts each."""
    yield "| model | p | parameters | matrices of a part | ms of a part | kB sent by one of 8 | " + \
        " | ".join(f"{gbit} Gbit/s, {us} us" for gbit, us in NETWORKS) + " |"
    yield "|" + "---|" * (6 + len(NETWORKS))
    for one in measured:
        cells = [" ".join(f"{efficiency(one, parts_each * R, R, network):.2f}" for R in RANKS) for network in NETWORKS]
        sent = step_seconds(one, 8 * parts_each, 8, *NETWORKS[0])[1] / 1000
        yield f"| {one['model']} | {one['p']} | {one['parameters']} | {one['part']} | " \
            f"{1000 * one['part_seconds']:.3g} | {sent:.3g} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spodnet", default="build/bin/spodnet")
    parser.add_argument("--parts", type=int, default=4, help="parts of a batch for each process")
    parser.add_argument("--measured", help="a file of --save instead of measuring")
    parser.add_argument("--save", help="keep the measurements in this file")
    options = parser.parse_args()
    if options.measured:
        with open(options.measured) as file:
            measured = json.load(file)
    else:
        measured = [measure(options.spodnet, model, p) for model in MODELS for p in SIZES]
    if options.save:
        with open(options.save, "w") as file:
            json.dump(measured, file, indent=1)
    print(f"Efficiency of {', '.join(map(str, RANKS))} processes with {options.parts} parts each:\n")
    sys.stdout.writelines(line + "\n" for line in table(measured, options.parts))


if __name__ == "__main__":
    main()
