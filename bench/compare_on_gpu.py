"""compare_pytorch --device cuda: our training step on a GPU beside PyTorch's on the same one."""
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = {"peer_published": "published algorithm", "peer_batched": "batched, autograd",
         "peer_batched+graph": "the same in a CUDA graph",
         "peer_batched_manual+graph": "hand-written adjoint in a CUDA graph"}
CASES = ["ubg:100:10", "ubg:100:100", "ubg:100:1000", "ubg:20:1000", "ubg:300:100", "pnp:100:100", "e2e:100:100"]
SLOW = {"ubg:300:100"}  # the published program would take minutes a step
GRADIENTS, LOSSES = 1e-6, 1e-5  # largest relative differences


def peers_of(case):
    return [name for name in PEERS if not (case in SLOW and name == "peer_published")]


def compare(case, folder, results):
    """Adds `gradients` and `training` to each result: differences from the first peer. True: all agree."""
    from problem import gradient_error, read_safetensors, under

    def gradients(name):
        return under(read_safetensors(folder / f"{case}.{name}.safetensors")[1], "grad.")

    good = {name: r for name, r in results.items() if "failed" not in r}
    reference = next(name for name in PEERS if name in good)
    first = gradients(reference)
    for name, r in good.items():
        r["gradients"] = gradient_error(gradients(name), first)
        steps = 1 if name.endswith("+graph") else None  # Adam in a graph adds its epsilon elsewhere
        r["training"] = max(abs(a / b - 1) for a, b in zip(r["losses"][:steps], results[reference]["losses"]))
    return all(r["gradients"] <= GRADIENTS and r["training"] <= LOSSES for r in good.values())


def table(every):
    """Markdown: a line for each case, the least milliseconds of a step, and how many times ours that is."""
    lines = ["| model, p, batch | " + " | ".join(PEERS.values()) + " | ours | worst gradient |", "|---" * (len(PEERS) + 3) + "|"]
    for case, results in every["cases"].items():
        ours, cells = results["ours"]["wall_ms"], []
        for name in PEERS:
            r = results.get(name, {})
            cells.append(f"{r['wall_ms']:.3g} ms ({r['wall_ms'] / ours:.3g}x)" if "wall_ms" in r else r.get("failed", "–"))
        worst = max(r["gradients"] for r in results.values() if "gradients" in r)
        lines.append("| " + " | ".join([case.replace(":", " ", 1).replace(":", ", "), *cells, f"{ours:.3g} ms", f"{worst:.1e}"])
                     + " |" + ("" if every["agree"][case] else " THEY DO NOT COMPUTE THE SAME"))
    return "\n".join(lines)


def main(args, run):
    """`run`: a command to its JSON. Exit status 1 when the contenders do not agree."""
    from problem import make_problem

    cases = CASES if args.case is None else args.case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases:
            model, p, batch = case.split(":")
            make_problem(folder / f"{case}.safetensors", model, int(p), int(batch))
        every = run([args.python, HERE / "peers/cuda_steps.py", args.seconds, folder,
                     *(f"{case}={','.join(peers_of(case))}" for case in cases)])
        every["agree"] = {}
        for case, results in every["cases"].items():
            results["ours"] = run([args.ours, folder / f"{case}.safetensors", args.threads, args.seconds,
                                   folder / f"{case}.ours.safetensors", args.device])
            every["agree"][case] = compare(case, folder, results)
    print(f"{every['gpu']}, torch {every['torch']}, float64, least time of a whole training step; the graphs without the "
          f"inverse of the input\n\n{table(every)}")
    if args.json:
        Path(args.json).write_text(json.dumps(every, indent=1) + "\n")
    sys.exit(0 if all(every["agree"].values()) else 1)
