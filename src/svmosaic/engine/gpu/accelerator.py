"""Where the engine computes, and with what."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch

from svmosaic.engine.gpu.memory_plan import Sizes
from svmosaic.utils.free_memory import free_memory

__all__ = ["Accelerator", "Tensor"]

# PyTorch is optional, and its types are not checked.
Tensor = Any


def _has_triton(device: Any) -> bool:
    # AMD's cards have Triton too, but nobody has tried.
    return (
        device.type == "cuda" and torch.version.cuda is not None and find_spec("triton") is not None
    )


@dataclass(frozen=True)
class Accelerator:
    """A device of PyTorch.

    Attributes
    ----------
    device : torch.device
        The device.
    use_triton : bool
        Whether Triton's kernels run there; else everything is made of PyTorch's functions.
    sizes : Sizes
        The sizes that solvers work with.
    """

    device: Any
    use_triton: bool
    sizes: Sizes = field(default_factory=Sizes)

    @classmethod
    def of(cls, device: Any) -> Accelerator:
        """Return the device with Triton if it is there."""
        return cls(device, _has_triton(device) and "SVMOSAIC_NO_TRITON" not in os.environ)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Launch kernels on this device, and multiply float32 matrices in float32.

        TF32, which the caller may prefer, has 10 bits, and exponents of kernels are small
        differences of large products.
        """
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        is_cuda = self.device.type == "cuda"
        try:
            with torch.cuda.device(self.device) if is_cuda else nullcontext():
                yield
        finally:
            torch.set_float32_matmul_precision(before)

    @property
    def free_bytes(self) -> float:
        """Memory that is free, that in PyTorch's own pool included."""
        if self.device.type != "cuda":
            return float(free_memory())
        free, _ = torch.cuda.mem_get_info(self.device)
        reserved = torch.cuda.memory_reserved(self.device)
        return float(free + reserved - torch.cuda.memory_allocated(self.device))

    def tensor(self, values: Any, dtype: Any = None) -> Tensor:
        """Return an array of NumPy on this device."""
        return torch.as_tensor(values, device=self.device, dtype=dtype)
