"""Clocks, power, temperature and throttling of this process's GPU, sampled beside the training.

    clock = StepClock(samples=128, conditions=profgauge.conditions.Conditions())

puts them into the document of step times, so that a slower run on a slower card says so. NVIDIA's
management library is called by a thread, once a second, without CUDA and without Python's lock. Where it
is missing, or a GPU has no such reading, that is left out. Other devices: `--device-log`.
"""
import collections
import ctypes
import threading
import time

try:
    from .torch import _guarded, _initialized
except ImportError:  # A copy beside a copy of torch_handler.py.
    from torch_handler import _guarded, _initialized

MOST_SAMPLES = 36000  # Ten hours of seconds; then the oldest go.

# Bits of NVML and of DCGM, the same.
REASONS = {0x1: "gpu_idle", 0x2: "applications_clocks", 0x4: "sw_power_cap", 0x8: "hw_slowdown", 0x10: "sync_boost",
           0x20: "sw_thermal", 0x40: "hw_thermal", 0x80: "hw_power_brake", 0x100: "display_clocks"}
_SM, _MEMORY = 1, 2  # NVML_CLOCK_SM, NVML_CLOCK_MEM
_INSUFFICIENT_SIZE = 7  # NVML_ERROR_INSUFFICIENT_SIZE: the count is right all the same.
_REASON_CALLS = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")  # By driver 535.


class Conditions:
    """Samples from the first document or `start()` on, until the program ends."""

    def __init__(self, seconds=1.0):
        self.seconds = seconds
        self.samples = collections.deque(maxlen=MOST_SAMPLES)
        self._limits, self._thread = {}, None

    @_guarded("the conditions of the GPU are unknown")
    def start(self):
        """Begins, once CUDA is in use: the GPU is this process's current one."""
        cuda = _initialized("cuda")
        if self._thread is not None or not cuda:
            return
        uuid = str(getattr(cuda.get_device_properties(cuda.current_device()), "uuid", ""))
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if not uuid or library.nvmlInit_v2() != 0:
            raise OSError("NVML does not start, or PyTorch is older than 2.5 and has no UUID")
        device = ctypes.c_void_p()
        name = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
        if library.nvmlDeviceGetHandleByUUID(name.encode("ascii"), ctypes.byref(device)) != 0:
            raise OSError("NVML does not know the GPU's UUID")
        self._limits = _present({"sm_mhz": _read(library.nvmlDeviceGetMaxClockInfo, device, _SM),
                                 "watts": _read(library.nvmlDeviceGetEnforcedPowerLimit, device, scale=1e-3)})
        self._thread = threading.Thread(target=self._sample, args=(library, device), daemon=True)
        self._thread.start()

    @_guarded("the conditions of the GPU are unknown")
    def _sample(self, library, device):
        while True:
            reasons = next((value for value in (_read(getattr(library, call, None), device, kind=ctypes.c_ulonglong)
                                                for call in _REASON_CALLS) if value is not None), None)
            self.samples.append(_present({
                "sm_mhz": _read(library.nvmlDeviceGetClockInfo, device, _SM),
                "memory_mhz": _read(library.nvmlDeviceGetClockInfo, device, _MEMORY),
                "watts": _read(library.nvmlDeviceGetPowerUsage, device, scale=1e-3),
                "celsius": _read(library.nvmlDeviceGetTemperature, device, 0), "reasons": reasons,
                "ecc_uncorrected": _read(getattr(library, "nvmlDeviceGetTotalEccErrors", None), device, 1, 0,
                                         kind=ctypes.c_ulonglong),
                "other_processes": _others(library, device)}))
            time.sleep(self.seconds)

    def document(self):
        """Part of an entry of `devices` in `profgauge.run`; empty before the first sample."""
        self.start()
        samples, found = list(self.samples), {}
        for name in ("sm_mhz", "memory_mhz", "watts", "celsius"):
            values = sorted(sample[name] for sample in samples if name in sample)
            if values:
                found[name] = {"median": values[len(values) // 2], "min": values[0], "max": values[-1],
                               **({"limit": self._limits[name]} if name in self._limits else {})}
        for name in ("ecc_uncorrected", "other_processes"):
            if counts := [sample[name] for sample in samples if name in sample]:
                found[name] = max(counts)
        masks = [sample["reasons"] for sample in samples if "reasons" in sample]
        shares = {name: round(sum(1 for mask in masks if mask & bit) / len(masks), 4) for bit, name in REASONS.items() if masks}
        if masks:
            found["reasons"] = {name: share for name, share in shares.items() if share}
        return found


def _read(function, device, *arguments, kind=ctypes.c_uint, scale=1):
    """A reading, or None where this GPU or driver has none."""
    value = kind()
    if function is None or function(device, *arguments, ctypes.byref(value)) != 0:
        return None
    return round(value.value * scale, 1) if scale != 1 else value.value


def _others(library, device):
    """How many processes besides this one compute on the GPU, or None where that is unknown."""
    function = getattr(library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
    count = ctypes.c_uint(0)
    if function is None or function(device, ctypes.byref(count), None) not in (0, _INSUFFICIENT_SIZE):
        return None
    return max(0, count.value - 1)


def _present(values):
    return {name: value for name, value in values.items() if value is not None}
