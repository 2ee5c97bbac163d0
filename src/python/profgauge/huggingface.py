"""For Hugging Face's Trainer:

    from profgauge.huggingface import ProfGaugeCallback
    Trainer(..., callbacks=[ProfGaugeCallback("runs/bert", policy="policy.yaml")])

times every step, records `active` of them, and has rank 0 judge the profile in the background.
Options are those of `profgauge.callbacks.Recording`.
"""
import transformers

from .callbacks import Recording


class ProfGaugeCallback(transformers.TrainerCallback):
    """An optimizer step is a step: with gradient accumulation it has several batches."""

    def __init__(self, folder, **options):
        self.recording = Recording(folder, **options)

    def on_train_begin(self, args, state, control, **kwargs):
        self.recording.start()

    def on_step_end(self, args, state, control, **kwargs):
        self.recording.step()

    def on_evaluate(self, args, state, control, **kwargs):
        self.recording.restart()

    def on_save(self, args, state, control, **kwargs):
        self.recording.restart()

    def on_train_end(self, args, state, control, **kwargs):
        self.recording.stop()
