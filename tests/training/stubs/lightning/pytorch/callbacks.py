class Callback:
    """Each event does nothing unless a callback has it."""

    def __getattr__(self, name):
        if name.startswith("on_") or name in ("setup", "teardown"):
            return lambda *arguments: None
        raise AttributeError(name)
