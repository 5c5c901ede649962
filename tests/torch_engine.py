"""The engine on PyTorch's CPU device, with sizes for small problems."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
# Tests run side by side, and what they multiply is small.
torch.set_num_threads(1)

from svmosaic.engine.gpu.accelerator import Accelerator  # noqa: E402
from svmosaic.engine.gpu.engine import TorchEngine  # noqa: E402
from svmosaic.engine.gpu.memory_plan import Sizes  # noqa: E402

# Every part of the algorithm is at work for a few hundred samples.
SWEEPS = Sizes(block=16, cell=32, small=8, candidates=48, n_singles=2, updates=500, n_sweeps=50)
BATCHES = Sizes()


def engine(sizes):
    return TorchEngine(Accelerator(torch.device("cpu"), use_triton=False, sizes=sizes))
