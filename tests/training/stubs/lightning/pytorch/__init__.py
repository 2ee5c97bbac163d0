"""A stand-in for Lightning 2.6: the events of Trainer.fit in their order, with the arguments that it gives."""
from . import callbacks as _callbacks

__version__ = "2.6.6"


class Trainer:
    def __init__(self, callbacks, max_steps=60, val_check_interval=0, step=lambda number: None):
        assert all(isinstance(callback, _callbacks.Callback) for callback in callbacks)
        self.callbacks, self.max_steps, self.val_check_interval, self.step = callbacks, max_steps, val_check_interval, step

    def event(self, name, *arguments):
        for callback in self.callbacks:
            getattr(callback, name)(self, None, *arguments)

    def fit(self):
        self.event("setup", "fit")
        try:
            self.event("on_sanity_check_start")
            self.event("on_validation_end")
            self.event("on_sanity_check_end")
            self.event("on_train_start")
            for number in range(self.max_steps):
                self.event("on_train_batch_start", None, number)
                self.step(number)
                self.event("on_train_batch_end", None, None, number)
                if self.val_check_interval and (number + 1) % self.val_check_interval == 0:
                    self.step("validation")
                    self.event("on_validation_end")
            self.event("on_train_end")
        except Exception as error:
            self.event("on_exception", error)
            raise
        finally:
            self.event("teardown", "fit")
