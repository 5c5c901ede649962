"""Sizes of blocks and tiles, known before a run begins. Needs no PyTorch."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Sizes", "batch_size", "most_stored", "require_room", "sizes_within", "tile_rows"]

_GIB = 1024.0**3
# Of the memory that is free, what one temporary array may take.
_SHARE = 0.1
# Values per sample besides its features: coefficients, gradients, bounds, slopes, orders.
_VALUES_PER_SAMPLE = 40


@dataclass(frozen=True)
class Sizes:
    """The sizes that a solver works with; results are exact for all of them.

    Attributes
    ----------
    block : int
        Variables of a block, a power of 2.
    cell : int
        Samples of a cell, from which its block is chosen.
    single : int
        Variables of a single block between two sweeps, a power of 2 and at most `block`.
    small : int
        Most samples of a problem that is one block itself, a power of 2.
    candidates : int
        Samples that single blocks between two sweeps are chosen from.
    n_singles : int
        Single blocks between two sweeps.
    updates : int
        Most updates of a block in one launch, which cannot be interrupted.
    n_sweeps : int
        Sweeps after which cells have not helped, and single blocks continue alone.
    stored : int
        Most samples of a problem whose kernel matrix is stored for a selection.
    """

    block: int = 2048
    cell: int = 6000
    single: int = 2048
    small: int = 4096
    candidates: int = 32768
    n_singles: int = 2
    updates: int = 4000
    n_sweeps: int = 300
    stored: int = 16384


def sizes_within(sizes: Sizes, free_bytes: float, n_samples: int, item_size: int) -> Sizes:
    """Return sizes whose kernel matrices fit: smaller blocks if need be.

    Parameters
    ----------
    sizes : Sizes
        What is wanted.
    free_bytes : float
        Memory of the device that is free.
    n_samples : int
        Samples of the largest problem.
    item_size : int
        Bytes of a kernel value.
    """
    block = sizes.block
    while block > 64:
        n_blocks = max(1, n_samples * sizes.block // (sizes.cell * block))
        # The values and what they are made from.
        if 3.0 * n_blocks * block**2 * item_size <= 4.0 * _SHARE * free_bytes:
            break
        block //= 2
    small, stored = (
        _width_within(width, free_bytes, item_size) for width in (sizes.small, sizes.stored)
    )
    return replace(
        sizes,
        block=block,
        cell=sizes.cell * block // sizes.block,
        single=min(sizes.single, block),
        small=small,
        stored=stored,
    )


def _width_within(width: int, free_bytes: float, item_size: int) -> int:
    """Return how many samples a problem may have whose kernel matrix is stored, at most `width`."""
    while width > 64 and 3.0 * width**2 * item_size > 4.0 * _SHARE * free_bytes:
        width //= 2
    return width


def most_stored(sizes: Sizes, free_bytes: float, item_size: int) -> int:
    """Return how many rows a table may have whose kernel matrix a search stores."""
    return _width_within(2 * sizes.stored, free_bytes, item_size)


def batch_size(free_bytes: float, n_samples: int, item_size: int) -> int:
    """Return how many problems of `n_samples` each are solved at once."""
    return max(1, int(4.0 * _SHARE * free_bytes / (3.0 * n_samples**2 * item_size)))


def tile_rows(free_bytes: float, n_columns: int, item_size: int) -> int:
    """Return for how many rows kernel values with all columns fit into a temporary array."""
    rows = int(_SHARE * free_bytes / max(1.0, 2.0 * n_columns * item_size))
    return max(1, min(rows, 1 << 20))


def require_room(
    free_bytes: float, n_rows: int, n_columns: int, dtype: str, item_size: int, device: str
) -> None:
    """Raise if the samples, and what a solver keeps per sample, do not fit into the device.

    Raises
    ------
    MemoryError
        With one sentence that names the array, its size and what is free.
    """
    table = float(n_rows) * n_columns * item_size
    # The samples of a problem are a copy, and their order takes two for a while; the solver's own
    # arrays are float64.
    needed = 4.0 * table + 8.0 * _VALUES_PER_SAMPLE * n_rows
    if needed > free_bytes:
        raise MemoryError(
            f"The samples ({n_rows} x {n_columns} {dtype}) and the arrays of the solver need "
            f"{needed / _GIB:.1f} GiB of {device}, where {free_bytes / _GIB:.1f} GiB are free; "
            "pass float32 data, fewer samples, or use device=None."
        )
