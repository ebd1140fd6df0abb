"""Reads the results of `spodnet graph` that lie in this folder; nothing else is needed.

    python3 read_results.py        prints a list of the files here
    import read_results            results = read_results.read()
    results["edges"][0]            the strongest edge: names, partial correlation, share, ...
    results["precision"]           in the order of results["names"]: a numpy array, or lists without numpy
"""

import csv
import json
import pathlib
import sys

try:
    from numpy import array
except ImportError:
    array = list

HERE = pathlib.Path(__file__).resolve().parent


def number(text):
    """A cell as a number where it is one; None where it is empty."""
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def records(path, words=()):
    """The lines of a CSV file as dictionaries; the columns `words` stay text."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: value if key in words else number(value) for key, value in line.items()}
                for line in csv.DictReader(file)]


def matrix(path):
    """Names and values of a square table with names above and beside it."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    return lines[0][1:], array([[float(x) for x in line[1:]] for line in lines[1:]])


def read(folder=HERE):
    folder = pathlib.Path(folder)
    names, precision = matrix(folder / "precision.csv")
    results = {
        "names": names,
        "precision": precision,
        "partial_correlations": matrix(folder / "partial_correlations.csv")[1],
        "edges": records(folder / "edges.csv", words=("source", "target")),
        "pairs": records(folder / "pairs.csv", words=("source", "target")),
        "communities": records(folder / "communities.csv", words=("variable",)),
        "summary": json.loads((folder / "summary.json").read_text(encoding="utf-8")),
    }
    if (folder / "covariance.csv").exists():
        results["covariance"] = matrix(folder / "covariance.csv")[1]
    return results


def main():
    results = read(sys.argv[1] if len(sys.argv) > 1 else HERE)
    print(f"{len(results['names'])} variables, {len(results['edges'])} edges, "
          f"by {results['summary']['method']}")
    for edge in results["edges"][:5]:
        print(f"  {edge['source']} - {edge['target']}: {edge['partial_correlation']:+.3f}")


if __name__ == "__main__":
    main()
