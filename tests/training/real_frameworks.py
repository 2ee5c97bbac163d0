"""The callbacks with the real Trainer of Hugging Face and of Lightning, and with JAX, where these are installed.

    python3 real_frameworks.py OUT

Prints a line of JSON for each and writes OUT/frameworks.json. Beside a checkout, or beside a copy of the package
`profgauge`. By hand, on a machine that has them: the tests of the suite use stand-ins.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PATHS = [HERE, os.path.join(HERE, "..", "..", "src", "python")]

HUGGINGFACE = """
import torch, transformers
from profgauge.huggingface import ProfGaugeCallback

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(4)))
    def forward(self, x, labels=None):
        out = self.layers(x)
        return {"loss": (out - x).pow(2).mean(), "logits": out}

rows = [{"x": torch.randn(64), "labels": 0} for _ in range(400)]
options = transformers.TrainingArguments(OUT + "/hf", per_device_train_batch_size=4, max_steps=60, save_strategy="no",
                                         report_to=[], disable_tqdm=True, eval_strategy="steps", eval_steps=40)
transformers.Trainer(model=Net(), args=options, train_dataset=rows, eval_dataset=rows[:8],
                     callbacks=[ProfGaugeCallback(OUT + "/hf_runs", wait=20, on="none", samples=4)]).train()
VERSION = transformers.__version__
"""
LIGHTNING = """
import torch
try:
    import lightning.pytorch as lightning
except ImportError:
    import pytorch_lightning as lightning
from profgauge.lightning import ProfGaugeCallback

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)
    def training_step(self, batch, index):
        return self.layer(batch).pow(2).mean()
    def validation_step(self, batch, index):
        return self.layer(batch).pow(2).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

loader = torch.utils.data.DataLoader(torch.randn(240, 64), batch_size=4)
trainer = lightning.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, devices=1,
                            val_check_interval=40, callbacks=[ProfGaugeCallback(OUT + "/lightning_runs", wait=20, on="none")])
trainer.fit(Net(), loader, torch.utils.data.DataLoader(torch.randn(8, 64), batch_size=4))
VERSION = lightning.__version__
"""
JAX = """
import jax, jax.numpy as jnp
import profgauge.jax
clock = profgauge.jax.StepClock(warmup=2, window=10, after=5, tokens=4096)
update = jax.jit(lambda w: (w @ w) / jnp.linalg.norm(w))
w = jnp.ones((512, 512))
def train(number):
    global w
    with profgauge.jax.step(number):
        w = update(w)
    clock.step(w)
for number in range(40):
    train(number)
with profgauge.jax.trace(OUT + "/jax_runs", clock):
    for number in range(40, 45):
        train(number)
for number in range(45, 90):
    train(number)
VERSION = jax.__version__
"""
END = """
import sys
print("VERSION", VERSION, file=sys.stderr)
"""


def tried(name, text, out):
    done = subprocess.run([sys.executable, "-c", f"OUT = {out!r}\n{text}{END}"], capture_output=True, text=True, check=False,
                          timeout=90, env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), "PYTHONDONTWRITEBYTECODE": "1"})
    if "ModuleNotFoundError" in done.stderr and done.returncode:
        return {"framework": name, "missing": done.stderr.strip().splitlines()[-1]}
    files = sorted(os.path.relpath(path, out) for path in glob.glob(f"{out}/{name}_runs/**", recursive=True) if os.path.isfile(path))
    result = {"framework": name, "exit_code": done.returncode, "files": files,
              "log": [line[:300] for line in done.stderr.splitlines() if "profgauge" in line or "VERSION" in line or "Error" in line]}
    for path in files:
        if path.endswith(".run.json"):
            with open(os.path.join(out, path), encoding="ascii") as file:
                document = json.load(file)
            result["document"] = {**document, "segments": [[s["first"], len(s["ns"]), min(s["ns"]), max(s["ns"])]
                                                           for s in document["segments"]]}
    return result


def main():
    out = os.path.abspath(sys.argv[1])
    os.makedirs(out, exist_ok=True)
    results = []
    for name, text in (("hf", HUGGINGFACE), ("lightning", LIGHTNING), ("jax", JAX)):
        try:
            results.append(tried(name, text, out))
        except subprocess.TimeoutExpired:
            results.append({"framework": name, "error": "took longer than 90 s"})
        print(json.dumps(results[-1]), flush=True)
        with open(os.path.join(out, "frameworks.json"), "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
