"""Any number of processes and threads trains the same model, byte for byte, with the same history."""
import pathlib

from processes import LONG, TRAININGS, folder, history, run, skip_without_open_mpi, training

skip_without_open_mpi()
shapes = [(r, t) for r in (1, 2, 3, 4) for t in (1, 2)] if LONG else [(1, 2), (2, 2), (3, 1)]
with folder() as name:
    here = pathlib.Path(name)
    for p in (20, 100) if LONG else (20,):
        for model in TRAININGS:
            words = training(model, p)
            run(0, *words, "--threads", "1", "--history", here / "alone.csv", "-o", here / "alone.safetensors")
            for ranks, threads in shapes:
                run(ranks, *words, "--threads", str(threads), "--history", here / "some.csv",
                    "-o", here / "some.safetensors")
                where = f"{model}, p = {p}, {ranks} processes of {threads} threads"
                assert (here / "some.safetensors").read_bytes() == (here / "alone.safetensors").read_bytes(), where
                assert history(here / "some.csv") == history(here / "alone.csv"), where
                assert not (here / "some.safetensors.checkpoint").exists(), where
                print(where + ": the same", flush=True)
