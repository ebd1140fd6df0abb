"""Processes that are stopped or killed at random moments leave a checkpoint, from which another number of them
goes on to the same model; a killed one ends the others."""
import contextlib
import math
import os
import pathlib
import random
import resource
import signal
import time

from processes import LONG, folder, history, ranks_of, run, skip_without_open_mpi, start, tensors, \
    training, wait_for, written

skip_without_open_mpi()
LEAST_SECONDS = 3  # of processor time a training takes, so that it has written checkpoints when it is disturbed


def processor_seconds():
    """Of all children that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def train_alone(model, here):
    """Trains by one process without MPI, in more epochs until that takes long enough; the words of the training."""
    words = training(model)
    at = words.index("--epochs") + 1
    while True:
        begun = processor_seconds()
        run(0, *words, "--history", here / "alone.csv", "-o", here / "alone.safetensors", "--threads", "1")
        seconds = processor_seconds() - begun
        if seconds > LEAST_SECONDS:
            return words
        words[at] = str(math.ceil(int(words[at]) * min(30, 1.3 * LEAST_SECONDS / seconds)))


def go_on(ranks, words, resume):
    return start(ranks, *words, "--threads", "1", *(["--resume"] if resume else []))


def disturb(process, how, choice):
    """Does it to the running job and waits for its end; False: the job was done before."""
    if how == "kill":
        victims = ranks_of(process)
        if not victims:
            return process.wait() != 0
        with contextlib.suppress(ProcessLookupError):
            os.kill(choice.choice(victims), signal.SIGKILL)
    else:
        process.send_signal({"term": signal.SIGTERM, "int": signal.SIGINT, "usr1": signal.SIGUSR1}[how])
    _, errors = process.communicate()  # a job that hangs is ended by ctest
    if process.returncode == 0:
        return False
    # After SIGINT and SIGTERM mpirun may end before it has passed on what the ranks say.
    said = {"kill": "exited on signal 9", "usr1": "stopped on request"}.get(how, "")
    assert said in errors, f"{how}: {errors}"
    return True


def interrupt_until_done(model, hows, here, choice):
    out, checkpoint = here / "model.safetensors", here / "model.safetensors.checkpoint"
    words = [*train_alone(model, here), "--history", here / "history.csv", "-o", out]
    done = 0
    for how in hows:
        ranks = choice.choice([2, 3])
        before = written(checkpoint)
        process = go_on(ranks, words, checkpoint.exists())
        if not wait_for(checkpoint, before, process):
            break  # it was faster than its first checkpoint
        time.sleep(choice.uniform(0, 0.3))
        if not disturb(process, how, choice) or not checkpoint.exists():
            break
        header, _ = tensors(checkpoint)
        done += 1
        print(f"{model}: {how} of {ranks} processes at step {header['__metadata__']['step']}", flush=True)
    if checkpoint.exists():
        run(choice.choice([1, 2, 3]), *words, "--threads", "1", "--resume")
    assert out.read_bytes() == (here / "alone.safetensors").read_bytes(), model
    assert history(here / "history.csv") == history(here / "alone.csv"), model
    out.unlink()
    return done


choice = random.Random(7)
rounds, wanted = (7, 20) if LONG else (1, 4)
counts = {}
for number in range(50):
    if number >= rounds and sum(counts.values()) >= wanted:
        break  # on a busy machine some jobs end before they are disturbed: then once more
    for model, hows in {"pnp": ["kill", "usr1"], "pnp-any": ["term", "kill"], "ubg": ["int"], "program": ["kill", "term"]}.items():
        if LONG:
            hows = ["kill"]
        with folder() as name:
            counts[model] = counts.get(model, 0) + interrupt_until_done(model, hows, pathlib.Path(name), choice)
print("interrupted:", counts)
assert sum(counts.values()) >= wanted, counts
