#!/usr/bin/env python3
"""Writes the tables that no choice was made on (docs/lab/accuracy.md) into a folder.

    experiments/final_tables.py FOLDER

All of R's `datasets` (by Rscript) and of statsmodels' own with n >= 40 complete rows and p >= 5 numeric columns. Only where fewer than 40 rows are complete,
columns that fewer than nine rows in ten have are left out first. crimtab is a contingency table, not one of rows.
"""
import glob
import os
import pathlib
import subprocess
import sys

import pandas as pd
import statsmodels

IN_R = r"""
for (name in ls("package:datasets")) {
  x <- get(name)
  if (inherits(x, "mts") || is.matrix(x)) x <- as.data.frame(unclass(x))
  if (!is.data.frame(x)) next
  x <- as.data.frame(x)
  write.csv(x[, sapply(x, is.numeric), drop = FALSE], file.path(commandArgs(TRUE)[1], paste0(name, ".raw")), row.names = FALSE)
}
"""
NOT_ROWS = ("crimtab",)


def read_any(path):
    """The separator that gives the most numeric columns."""
    best = None
    for separator in (",", ";", "\t", r"\s+"):
        try:
            table = pd.read_csv(path, sep=separator, engine="python").select_dtypes("number")
        except Exception:  # another separator
            continue
        if best is None or table.shape[1] > best.shape[1]:
            best = table
    return best


def keep(folder, name, table):
    if table is None or name in NOT_ROWS:
        return
    if len(table.dropna()) < 40:
        table = table.loc[:, table.notna().mean() >= 0.9]
    table = table.dropna()
    if table.shape[0] >= 40 and table.shape[1] >= 5:
        table.to_csv(folder / f"{name}.csv", index=False)
        print(name, *table.shape)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["Rscript", "-e", IN_R, str(folder)], check=True)
    for raw in sorted(folder.glob("*.raw")):
        keep(folder, raw.stem, pd.read_csv(raw).select_dtypes("number"))
        raw.unlink()
    own = os.path.join(os.path.dirname(statsmodels.__file__), "datasets")
    for path in sorted(glob.glob(own + "/*/*.csv")):
        keep(folder, pathlib.Path(path).stem, read_any(path))


if __name__ == "__main__":
    main()
