"""What is said, and that it is said once."""
import pathlib
import subprocess

from processes import ALONE, MPIRUN, OPTIONS, folder, run, skip_without_open_mpi, training

skip_without_open_mpi()
with folder() as name:
    out = pathlib.Path(name) / "m.safetensors"

    done = run(3, "train", "--epochs", "none", "-o", out, status=2)
    assert done.stderr.count("spodnet: ") == 1 and "--epochs" in done.stderr, done.stderr

    done = run(3, "train", "--p", "20", "--batch", "1", "--epochs", "1", "--count", "9", "-o", out)
    assert done.stderr.count("a batch is cut into 1 part: 2 of the 3 processes have nothing to do") == 1, done.stderr
    assert done.stdout.count("steps in") == 1, done.stdout

    done = run(2, "info", out)  # not shared: the first does it
    assert done.stdout.count("ubg") == run(0, "info", out).stdout.count("ubg"), done.stdout

    done = subprocess.run([MPIRUN, *OPTIONS, "-n", "2", ALONE, *training("ubg"), "-o", out],
                          capture_output=True, text=True)
    assert done.returncode == 2 and "built without MPI" in done.stderr, done.stderr
print("refusals are said once")
