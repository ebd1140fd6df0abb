"""Starts spodnet as several processes and compares what they leave.

Every test here is called as  NAME_test.py MPIRUN SPODNET_WITH_MPI SPODNET REPRODUCE_WITH_MPI REPRODUCE [--long]
"""
import csv
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

MPIRUN, WITH_MPI, ALONE, REPRODUCE_WITH_MPI, REPRODUCE = sys.argv[1:6]
LONG = "--long" in sys.argv

# Works as root, in a container, with more processes than cores.
OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
           "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "btl", "self,vader,tcp"]


def program_file():
    """A model file of two layers with different programs, as spodnet.torch writes them, and random weights."""
    file, draw = tempfile.NamedTemporaryFile(prefix="spodnet-", suffix=".safetensors"), random.Random(3)
    corpus = pathlib.Path(__file__).parents[2] / "fuzz" / "corpus" / "program"
    header, numbers = {"__metadata__": {"format": "spodnet-1", "model": "program", "layers": "2", "p": "any", "scaling": "clip",
                                        "tied": "false", "v_min": "1e-08", "zeta": "1", "init_offset": "1"}}, []
    for k, name in enumerate(("deep_sets", "solve")):
        text = (corpus / name).read_text()
        header["__metadata__"][f"program.{k}"] = text
        for node in json.loads(text)["nodes"]:
            if node["op"] == "weight":
                begin, size = len(numbers), math.prod(node["shape"])
                numbers += [draw.gauss(0, 0.2) for _ in range(size)]
                header[f"layers.{k}.{node['name']}"] = {"dtype": "F64", "shape": node["shape"],
                                                        "data_offsets": [8 * begin, 8 * (begin + size)]}
    text = json.dumps(header).encode()
    file.write(struct.pack("<Q", len(text)) + text + struct.pack(f"<{len(numbers)}d", *numbers))
    file.flush()
    return file


PROGRAM = program_file()  # gone with the test

# Small trainings of every way through the code: the lanes, the layer, matrices new in every epoch, a rule as a program.
DATA = "--n 60 --alpha 0.7:0.95 --seed 3".split()
TRAININGS = {
    "ubg": "--model ubg --count 90 --epochs 3 --batch 32".split(),
    "pnp": "--model pnp --count 30 --epochs 2 --batch 12 --layers 2".split(),
    "pnp-any": "--model pnp-any --count 40 --epochs 2 --batch 12 --fresh --loss balanced --scaling relative "
               "--init-offset learned --summary".split(),
    "program": f"--init {PROGRAM.name} --count 40 --epochs 2 --batch 12 --fresh --loss nmse".split(),
}


def training(model, p=20, *more):
    return ["train", *TRAININGS[model], "--p", str(p), *DATA, *more]


def skip_without_open_mpi():
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version:
        print(f"skipped: {MPIRUN} is not Open MPI's")
        sys.exit(77)


def command(ranks, *words):
    """A list of words; ranks 0: the program without MPI. `reproduce` is a program of its own."""
    with_mpi, alone = WITH_MPI, ALONE
    if words[0] == "reproduce":
        with_mpi, alone, words = REPRODUCE_WITH_MPI, REPRODUCE, words[1:]
    return [alone, *words] if ranks == 0 else [MPIRUN, *OPTIONS, "-n", str(ranks), with_mpi, *words]


def run(ranks, *words, status=0):
    """Runs to the end and returns standard output; checks the exit status."""
    done = subprocess.run(command(ranks, *words), capture_output=True, text=True)
    assert done.returncode == status, f"{ranks} processes, {words}: exit status {done.returncode}\n{done.stderr}"
    return done


def start(ranks, *words):
    return subprocess.Popen(command(ranks, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ranks_of(process):
    """Process ids of the ranks that this mpirun has started."""
    def children(parent):
        return [int(pid) for pid in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    name = os.path.basename(WITH_MPI)
    try:
        return [pid for pid in children(process.pid)
                if name[:15] == pathlib.Path(f"/proc/{pid}/comm").read_text().strip()]
    except FileNotFoundError:  # they have ended
        return []


def written(file):
    """When the file was last written; 0 before the first time."""
    return file.stat().st_mtime_ns if file.exists() else 0


def wait_for(file, before, process):
    """Until the file is written again; False when the process ended first."""
    while written(file) <= before:
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def history(file):
    """The rows of a history without their seconds, which differ from run to run."""
    with open(file, newline="") as text:
        return [row[:-1] for row in csv.reader(text)]


def tensors(file):
    """Header and bytes of a safetensors file."""
    data = pathlib.Path(file).read_bytes()
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + size]), data[8 + size:]


def folder():
    return tempfile.TemporaryDirectory(prefix="spodnet-mpi-")
