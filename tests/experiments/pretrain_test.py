#!/usr/bin/env python3
"""experiments/pretrain at quick scale: models that `estimate` takes, nothing done twice, the same bits after
a stop; and its table is the one that the shipped models were made from.

    pretrain_test.py SOURCE SPODNET
"""
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, SPODNET = pathlib.Path(sys.argv[1]), sys.argv[2]
MODELS = ("paper", "raw", "standardized", "tables")


def pretrain(folder, *options):
    words = [SOURCE / "experiments/pretrain", "--spodnet", SPODNET, "--scale", "quick", "-o", folder, *options]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def header(file):
    """Of a safetensors file: metadata and tensors."""
    data = pathlib.Path(file).read_bytes()
    return json.loads(data[8:8 + int.from_bytes(data[:8], "little")])


def shipped(model):
    return header(SOURCE / f"spodnet/models/pretrained/{model}.safetensors")


def interrupted(words, prepare, at_work):
    """Starts it in a group of its own and sends Ctrl-C once at_work(); what it says. On a busy machine it may have
    ended by then: then once more."""
    for _ in range(50):
        prepare()
        process = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        while process.poll() is None and not at_work():
            time.sleep(0.002)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        message = process.communicate()[1]
        if process.returncode:
            break
    assert process.returncode == 130, f"{process.returncode}: {message}"
    return message


class Quick(unittest.TestCase):
    """All models once, two threads."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        pretrain(cls.out, "--threads", "2")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_estimate_takes_every_model(self):
        for model in MODELS:
            result = self.out / f"{model}.csv"
            subprocess.run([SPODNET, "estimate", SOURCE / "examples/measurements.csv", "--method",
                            self.out / f"{model}.safetensors", "-o", result], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(len(result.read_text().splitlines()), 11)

    def test_models_have_learned(self):
        """The two that know the paper's matrices beat the graphical lasso on them."""
        data = self.out / "test.safetensors"
        subprocess.run([SPODNET, "generate", "--p", "15", "--n", "60", "--alpha", "0.9", "--count", "20", "--seed", "7",
                        "--samples", "-o", data], check=True, stdout=subprocess.DEVNULL)
        names = [self.out / "paper.safetensors", self.out / "raw.safetensors", "glasso-cv"]
        words = [SPODNET, "evaluate", "--data", data, "--json"]
        for name in names:
            words += ["--method", name]
        answer = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        paper, raw, glasso = [method["nmse"] for method in answer["methods"]]
        self.assertLess(paper, 0.67 * glasso)
        self.assertLess(raw, 0.8 * glasso)

    def test_models_have_the_structure_of_the_shipped_ones(self):
        for model in MODELS:
            made, wanted = header(self.out / f"{model}.safetensors"), shipped(model)
            kept, asked = made.pop("__metadata__"), wanted.pop("__metadata__")
            for key in ("model", "p", "layers", "scaling", "init_offset", "summary", "standardized", "tied", "zeta"):
                self.assertEqual(kept.get(key), asked.get(key), f"{model}: {key}")
            self.assertEqual({name: tensor["shape"] for name, tensor in made.items()},
                             {name: tensor["shape"] for name, tensor in wanted.items()}, model)

    def test_nothing_is_done_twice(self):
        before = {model: (self.out / f"{model}.safetensors").read_bytes() for model in MODELS}
        answer = pretrain(self.out)
        self.assertEqual(answer.count("there already"), 24)
        for model in MODELS:
            self.assertEqual((self.out / f"{model}.safetensors").read_bytes(), before[model])

    def test_a_damaged_stage_is_made_again(self):
        stage = next((self.out / "stages").glob("S2-*.safetensors"))
        good = stage.read_bytes()
        stage.write_bytes(good[:-8] + bytes(8))
        answer = pretrain(self.out, "--models", "standardized")
        self.assertEqual(answer.count("there already"), 1)
        self.assertEqual(stage.read_bytes(), good)

    def stop_and_go_on(self, model, at_work):
        """Stops once there is a file `at_work` among the stages; the rest must end with the same model."""
        with tempfile.TemporaryDirectory() as folder:
            words = [SOURCE / "experiments/pretrain", "--spodnet", SPODNET, "--scale", "quick", "-o", folder,
                     "--models", model, "--threads", "1"]
            stages = pathlib.Path(folder) / "stages"
            message = interrupted(words, lambda: shutil.rmtree(stages, ignore_errors=True),
                                  lambda: any(stages.glob(at_work)))
            self.assertIn("the same command goes on", message)
            pretrain(folder, "--models", model, "--threads", "1")
            self.assertEqual((pathlib.Path(folder) / f"{model}.safetensors").read_bytes(),
                             (self.out / f"{model}.safetensors").read_bytes())

    def test_a_stopped_run_ends_with_the_same_model(self):
        self.stop_and_go_on("standardized", "S1-*")
        self.stop_and_go_on("tables", "T1-*.json")  # about the second stage

    def test_a_stopped_training_on_tables_goes_on_from_its_checkpoint(self):
        program = pathlib.Path(SPODNET).resolve().with_name("pretrain_tables")
        with tempfile.TemporaryDirectory() as folder:
            words = [program, "a.safetensors", "steps=300", "batch=8", "p=2:8", "ratio=1:20", "threads=1", "save=5"]
            whole = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
            words[1] = "b.safetensors"
            model = pathlib.Path(folder) / "b.safetensors"
            checkpoint = model.with_name(model.name + ".checkpoint")
            interrupted([program, model, *words[2:]], lambda: model.unlink(missing_ok=True), checkpoint.exists)
            self.assertTrue(checkpoint.exists())
            self.assertFalse(model.exists())
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            self.assertFalse(checkpoint.exists())
            self.assertEqual(whole.wait(), 0)
            self.assertEqual((pathlib.Path(folder) / "a.safetensors").read_bytes(),
                             (pathlib.Path(folder) / "b.safetensors").read_bytes())
            words[2] = "steps=301"
            checkpoint.write_bytes(b"no checkpoint")
            answer = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(answer.returncode, 2)
            self.assertIn("b.safetensors.checkpoint", answer.stderr)

    def test_another_seed_gives_another_model(self):
        first = (self.out / "standardized.safetensors").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            pretrain(folder, "--models", "standardized", "--seed", "1")
            self.assertNotEqual((pathlib.Path(folder) / "standardized.safetensors").read_bytes(), first)


class Recipe(unittest.TestCase):
    def last_command(self, model):
        answer = subprocess.run([SOURCE / "experiments/pretrain", "--print-commands", "--models", model],
                                capture_output=True, text=True, check=True).stdout
        return shlex.split(answer.splitlines()[-1])

    def test_the_last_stage_of_tables_is_what_the_shipped_model_says(self):
        settings = dict(word.split("=") for word in self.last_command("tables")[2:])
        record = shipped("tables")["__metadata__"]
        for key in ("steps", "batch", "p", "ratio", "largest_drawn", "gaussian", "dense", "rough", "seed"):
            self.assertEqual(settings[key], record["train." + key], key)
        self.assertEqual(float(settings["lr"]), float(record["train.lr"]))

    def test_the_last_stage_is_what_the_shipped_model_says_of_its_training(self):
        for model in ("paper", "raw", "standardized"):
            words = self.last_command(model)
            record = shipped(model)["__metadata__"]
            for key in ("alpha", "batch", "count", "epochs", "generator", "loss", "n", "p", "schedule", "seed"):
                self.assertEqual(words[words.index("--" + key) + 1], record["train." + key], f"{model}: {key}")
            self.assertEqual(float(words[words.index("--lr") + 1]), float(record["train.lr"]))
            self.assertEqual(float(words[words.index("--clip-grad") + 1]), float(record["train.clip_grad"]))

    def test_bad_input_is_one_line(self):
        for options in (["--models", "paper,papper"], ["--spodnet", "/no/such/program"], ["-o", "/dev/null/x"]):
            words = [SOURCE / "experiments/pretrain", "--spodnet", SPODNET, *options]
            answer = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(answer.returncode, 2, answer.stderr)
            self.assertIn(options[1].split(",")[-1].split("/x")[0], answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
