"""A stand-in for transformers 5.17: the events of a Trainer in their order, with the arguments that it gives."""
import types

__version__ = "5.17.0"


class TrainerCallback:
    """Each event does nothing unless a callback has it."""

    def __getattr__(self, name):
        if name.startswith("on_"):
            return lambda args, state, control, **kwargs: None
        raise AttributeError(name)


class Trainer:
    def __init__(self, callbacks, max_steps=60, eval_steps=0, save_steps=0, step=lambda number: None):
        self.callbacks, self.max_steps, self.step = callbacks, max_steps, step
        self.eval_steps, self.save_steps = eval_steps, save_steps
        self.state = types.SimpleNamespace(global_step=0)

    def event(self, name, **kwargs):
        for callback in self.callbacks:
            getattr(callback, name)(types.SimpleNamespace(), self.state, types.SimpleNamespace(), model=None,
                                    processing_class=None, optimizer=None, lr_scheduler=None, train_dataloader=None,
                                    eval_dataloader=None, **kwargs)

    def train(self):
        self.event("on_train_begin")
        self.event("on_epoch_begin")
        while self.state.global_step < self.max_steps:
            self.event("on_step_begin")
            self.step(self.state.global_step)
            self.event("on_pre_optimizer_step")
            self.event("on_optimizer_step")
            self.state.global_step += 1
            self.event("on_step_end")
            if self.eval_steps and self.state.global_step % self.eval_steps == 0:
                self.step("evaluation")
                self.event("on_evaluate", metrics={})
            if self.save_steps and self.state.global_step % self.save_steps == 0:
                self.step("save")
                self.event("on_save")
        self.event("on_epoch_end")
        self.event("on_train_end")
