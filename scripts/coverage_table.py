#!/usr/bin/env python3
"""Lines run and lines there, by room of spodnet/, from the names of .gcda files on standard input.

    find build-coverage -name '*.gcda' | coverage_table.py SOURCE
"""

import collections
import json
import subprocess
import sys


def lines_of(counts_file):
    done = subprocess.run(["gcov", "--json-format", "--stdout", counts_file], capture_output=True, check=True)
    for document in done.stdout.splitlines():
        for file in json.loads(document)["files"]:
            for line in file["lines"]:
                yield file["file"], line["line_number"], line["count"] > 0


def main(source):
    run = {}
    for name in sys.stdin.read().split():
        for file, line, counted in lines_of(name):
            run[file, line] = run.get((file, line), False) or counted
    rooms = collections.defaultdict(lambda: [0, 0])
    for (file, _), counted in run.items():
        path = file.removeprefix(source + "/")
        if path.startswith("spodnet/"):
            for room in (path.split("/")[1], "all"):
                rooms[room][0] += counted
                rooms[room][1] += 1
    for room, (counted, lines) in sorted(rooms.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{room:12} {100 * counted / lines:5.1f} % of {lines} lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
