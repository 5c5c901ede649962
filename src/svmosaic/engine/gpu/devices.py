"""Names of devices, and the engine behind a name. PyTorch is imported when one is asked for."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from svmosaic.utils.optional import import_optional

if TYPE_CHECKING:
    from svmosaic.engine.gpu.engine import TorchEngine

__all__ = ["DEVICE_NAMES", "engine_on", "is_device_name", "is_usable"]

# What `device` may be, for messages.
DEVICE_NAMES = ("cuda", "cuda:0")
# PyTorch's own CPU device: slower than the compiled core, for tests.
_ON_CPU = "torch:cpu"
_CUDA = re.compile(r"cuda(?::(\d+))?")


def is_device_name(device: str) -> bool:
    """Return whether the name is one of a device of PyTorch, there or not."""
    return device == _ON_CPU or _CUDA.fullmatch(device) is not None


@cache
def engine_on(device: str) -> TorchEngine:
    """Return the engine on a device.

    Raises
    ------
    MissingDependencyError
        If PyTorch is not installed.
    ValueError
        If there is no such device.
    """
    torch = import_optional("torch", f"compute on device={device!r}")
    _require_device(torch, device)

    from svmosaic.engine.gpu.accelerator import Accelerator
    from svmosaic.engine.gpu.engine import TorchEngine

    return TorchEngine(Accelerator.of(torch.device("cpu" if device == _ON_CPU else device)))


def is_usable(device: str) -> bool:
    """Return whether `engine_on` has an engine for this device."""
    try:
        engine_on(device)
    except (ImportError, ValueError):
        return False
    return True


def _require_device(torch: Any, device: str) -> None:
    found = _CUDA.fullmatch(device)
    if found is None:
        return
    n_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if n_devices == 0:
        raise ValueError(
            f"device={device!r} needs a CUDA device, and PyTorch finds none; use device=None."
        )
    if found[1] is not None and int(found[1]) >= n_devices:
        raise ValueError(
            f"device={device!r} is not there: PyTorch finds {n_devices} CUDA device"
            f"{'s' if n_devices > 1 else ''}, counted from 0."
        )
