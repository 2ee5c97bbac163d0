"""The training side of ProfGauge: times steps, records profiles, and has them judged. See `torch.py`."""
