"""For Lightning's Trainer:

    from profgauge.lightning import ProfGaugeCallback
    Trainer(..., callbacks=[ProfGaugeCallback("runs/bert", policy="policy.yaml")])

times every batch, records `active` of them, and has rank 0 judge the profile in the background.
Options are those of `profgauge.callbacks.Recording`.
"""
try:
    from lightning.pytorch.callbacks import Callback
except ImportError:  # The older name of the same package.
    from pytorch_lightning.callbacks import Callback

from .callbacks import Recording


class ProfGaugeCallback(Callback):
    """A batch is a step; validation between two batches belongs to none."""

    def __init__(self, folder, **options):
        super().__init__()
        self.recording = Recording(folder, **options)

    def on_train_start(self, trainer, pl_module):
        self.recording.start()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.recording.step()

    def on_validation_end(self, trainer, pl_module):
        self.recording.restart()

    def on_train_end(self, trainer, pl_module):
        self.recording.stop()

    def on_exception(self, trainer, pl_module, exception):
        self.recording.stop()

    def teardown(self, trainer, pl_module, stage):
        self.recording.stop()
