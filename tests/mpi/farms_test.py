"""reproduce, evaluate and graph give the same results by any number of processes, and do nothing twice."""
import json
import pathlib
import random

from processes import folder, run, skip_without_open_mpi

skip_without_open_mpi()
random.seed(5)


def without_seconds(result):
    """A result without the times that are part of it."""
    if isinstance(result, dict):
        return {key: without_seconds(value) for key, value in result.items() if "seconds" not in key}
    return [without_seconds(value) for value in result] if isinstance(result, list) else result


def results(where):
    """What the parts of a reproduction found."""
    return {file.name: without_seconds(json.loads(file.read_text())["result"])
            for file in sorted((where / "parts").glob("*.json"))}


with folder() as name:
    here = pathlib.Path(name)
    words = ["reproduce", "fig7", "--scale", "tiny", "--json"]
    run(0, *words, "-o", here / "alone")
    parts = results(here / "alone")
    tables = sorted(file.name for file in (here / "alone").glob("*.csv"))
    assert parts and tables
    for ranks in (2, 3):
        where = here / str(ranks)
        run(ranks, *words, "--threads", "1", "-o", where)
        assert results(where) == parts, ranks
        assert sorted(file.name for file in where.glob("*.csv")) == tables, ranks
        again = json.loads(run(ranks, *words, "--threads", "1", "-o", where).stdout)
        assert again["reused"] == again["parts"] == len(parts), again
        print(f"reproduce by {ranks} processes: {len(parts)} parts, each once")

    data, model = here / "set.safetensors", here / "glad.safetensors"
    run(0, "generate", "--p", "8", "--n", "30", "--count", "21", "--samples", "-o", data)
    run(0, "train", "--model", "glad", "--p", "8", "--count", "20", "--epochs", "1", "-o", model)
    words = ["evaluate", "--data", data, "--method", "oas", "--method", model, "--method", "glasso:lambda=0.1"]
    run(0, *words, "--per-matrix", here / "alone.csv")
    for ranks in (2, 3):
        run(ranks, *words, "--threads", "1", "--per-matrix", here / "some.csv")
        rows = [[line.split(",")[:4] + line.split(",")[5:] for line in (here / f"{which}.csv").read_text().split()]
                for which in ("alone", "some")]
        assert rows[0] == rows[1] and len(rows[0]) > 60, ranks
        print(f"evaluate by {ranks} processes: {len(rows[0]) - 1} scores, the same")

    rows = [[random.gauss(0, 1) for _ in range(6)] for _ in range(60)]
    for row in rows:
        row[1] += row[0]
        row[3] -= 0.7 * row[2]
    table = here / "table.csv"
    table.write_text("a,b,c,d,e,f\n" + "".join(",".join(f"{x:.6g}" for x in row) + "\n" for row in rows))
    words = ["graph", table, "--bootstrap", "20", "--method", "glasso-ebic", "--no-cache"]
    run(0, *words, "-o", here / "graph0")
    for ranks in (2, 3):
        run(ranks, *words, "--threads", "1", "-o", here / f"graph{ranks}")
        for file in ("edges.csv", "nodes.csv", "precision.csv", "summary.json"):
            pair = [(here / f"graph{which}" / file).read_bytes() for which in (0, ranks)]
            assert pair[0] == pair[1], (file, ranks)
        print(f"graph by {ranks} processes: the same files")
