"""The plan of blocks and tiles needs no PyTorch."""

from __future__ import annotations

import pytest

from svmosaic.engine.gpu.memory_plan import (
    Sizes,
    batch_size,
    require_room,
    sizes_within,
    tile_rows,
)

GIB = 1024.0**3


def test_blocks_are_as_large_as_wanted_where_there_is_room():
    assert sizes_within(Sizes(), 100 * GIB, 500_000, 4) == Sizes()


@pytest.mark.parametrize("free", [0.1 * GIB, 1.0 * GIB, 4.0 * GIB])
def test_kernel_matrices_of_a_sweep_fit(free):
    sizes = sizes_within(Sizes(), free, 500_000, 8)

    n_blocks = 500_000 // sizes.cell
    assert sizes.block < Sizes().block
    assert sizes.cell >= 2 * sizes.block
    assert n_blocks * sizes.block**2 * 8 < free
    assert sizes.small**2 * 8 < free


def test_sizes_stay_powers_of_two():
    for free in (1e6, 1e8, 1e9):
        sizes = sizes_within(Sizes(), free, 100_000, 4)
        assert sizes.block & (sizes.block - 1) == 0
        assert sizes.small & (sizes.small - 1) == 0


def test_batches_and_tiles_fill_a_share_of_the_memory():
    assert batch_size(GIB, 1024, 4) * 1024**2 * 4 < GIB
    assert batch_size(1.0, 1024, 4) == 1
    assert 0 < tile_rows(GIB, 10_000, 4) * 10_000 * 4 < GIB
    assert tile_rows(1.0, 10_000, 4) == 1


def test_what_does_not_fit_is_named():
    require_room(10 * GIB, 100_000, 100, "float32", 4, "cuda:0")
    with pytest.raises(MemoryError, match=r"1000000 x 5000 float32\) .* need 74.8 GiB of cuda:0"):
        require_room(10 * GIB, 1_000_000, 5000, "float32", 4, "cuda:0")
