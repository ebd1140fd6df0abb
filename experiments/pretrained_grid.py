#!/usr/bin/env python3
"""The pretrained models against glasso-cv, ledoit-wolf and oas on a grid of shapes, all by the command line.

    experiments/pretrained_grid.py OUT [--spodnet build/bin/spodnet] [--families sparse-cholesky,...]
        [--count 50] [--seed 20261115] [--sizes 10,20,50,100,200] [--rivals-only] [--only-table] [--jobs 1]

Two JSON files per cell in OUT, ours and the rivals'; what is there is not run again (remove *-pretrained.json for a new model). The table goes to OUT/grid.csv, the
shares of cells won and the losers to the screen as Markdown.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

RATIOS = (0.2, 0.5, 1, 2, 5, 20)
ALPHAS = ("0.7", "0.9", "0.95")
NMSE, EDGES = "pretrained", "pretrained:target=f1"  # what is judged by its NMSE, and what by the F1 of its edges
OURS, RIVALS = (NMSE, EDGES), ("glasso-cv", "ledoit-wolf", "oas")


def cells(sizes):
    for p in sizes:
        for ratio in RATIOS:
            n = round(ratio * p)
            if n >= 10:
                for alpha in ALPHAS:
                    yield p, n, alpha


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--spodnet", default="build/bin/spodnet")
    parser.add_argument("--families", default="sparse-cholesky")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=20261115)
    parser.add_argument("--sizes", default="10,20,50,100,200")
    parser.add_argument("--jobs", type=int, default=1, help="cells measured side by side, each by one thread")
    parser.add_argument("--rivals-only", action="store_true", help="measure the methods that are not ours, no table")
    parser.add_argument("--only-table", action="store_true", help="of the cells that are there")
    return parser.parse_args()


def measure(options, family, cell, methods):
    """Scores of the methods on one cell: {method: {nmse, f1_offdiag, seconds}}."""
    p, n, alpha = cell
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "test.safetensors"
        subprocess.run([options.spodnet, "generate", "--generator", family, "--p", str(p), "--n", str(n), "--alpha", alpha,
                        "--count", str(options.count), "--seed", str(options.seed), "--samples", "-o", str(data)],
                       check=True, stdout=subprocess.DEVNULL)
        command = [options.spodnet, "evaluate", "--data", str(data), "--json"] + (["--threads", "1"] if options.jobs > 1 else [])
        for method in methods:
            command += ["--method", method]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    keys = ("nmse", "f1_offdiag", "seconds")
    return {each["method"]: {key: each.get(key) for key in keys} for each in answer["methods"]}


def scores_of(options, family, cell, part, methods):
    """Read from the part's file, or measured now; nothing when it is not there and only the table is wanted."""
    p, n, alpha = cell
    file = options.out / f"{family}-p{p}-n{n}-a{alpha}-c{options.count}-s{options.seed}-{part}.json"
    if not file.exists() and not options.only_table:
        scores = measure(options, family, cell, methods)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(scores))
        unfinished.rename(file)
        print(f"{file.stem}: " + ", ".join(f"{m} {s['nmse']:.4f}" for m, s in scores.items()), file=sys.stderr)
    return json.loads(file.read_text()) if file.exists() else None


def run_cell(options, family, cell):
    rivals = scores_of(options, family, cell, "rivals", RIVALS)
    ours = None if options.rivals_only else scores_of(options, family, cell, "pretrained", OURS)
    return (dict(zip(("p", "n", "alpha"), cell), family=family), {**rivals, **ours}) if rivals and ours else None


def run(options, family):
    largest_first = sorted(cells(options.size_list), key=lambda cell: -cell[0] ** 2 * cell[1])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda cell: run_cell(options, family, cell), largest_first)
    return [each for each in reversed(list(found)) if each]


def row_of(cell, scores):
    rival = min(RIVALS, key=lambda method: scores[method]["nmse"])
    row = dict(cell, nmse=scores[NMSE]["nmse"], best_rival=rival, rival_nmse=scores[rival]["nmse"],
               f1_offdiag=scores[NMSE]["f1_offdiag"], target_f1_offdiag=scores[EDGES]["f1_offdiag"], glasso_cv_f1_offdiag=scores["glasso-cv"]["f1_offdiag"])
    row["wins_nmse"] = row["nmse"] < row["rival_nmse"]
    row["wins_f1"] = row["f1_offdiag"] > row["glasso_cv_f1_offdiag"]
    row["wins_target_f1"] = row["target_f1_offdiag"] > row["glasso_cv_f1_offdiag"]
    return row


def report(rows):
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        for score, rival in (("nmse", "rival_nmse"), ("f1", "glasso_cv_f1_offdiag"), ("target_f1", "glasso_cv_f1_offdiag")):
            won = [row for row in mine if row["wins_" + score]]
            print(f"\n{family}: {score} better in {len(won)} of {len(mine)} cells ({100 * len(won) / len(mine):.0f} %)")
            for row in mine:
                if not row["wins_" + score]:
                    value = row["nmse" if score == "nmse" else score + "_offdiag"]
                    print(f"- p = {row['p']}, n = {row['n']}, alpha = {row['alpha']}: {value:.4f} against {row[rival]:.4f}"
                          + (f" ({row['best_rival']})" if score == "nmse" else ""))


def main():
    options = arguments()
    options.size_list = [int(size) for size in options.sizes.split(",")]
    options.out.mkdir(parents=True, exist_ok=True)
    rows = [row_of(cell, scores) for family in options.families.split(",") for cell, scores in run(options, family)]
    if options.rivals_only:
        return
    if not rows:
        sys.exit("pretrained_grid: no cell is there yet; leave --only-table out")
    with open(options.out / "grid.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    report(rows)


if __name__ == "__main__":
    main()
