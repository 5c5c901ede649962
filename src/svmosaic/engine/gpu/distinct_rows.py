"""Identical rows on the device: hashes are sorted, and neighbours compared."""

from __future__ import annotations

import numpy as np
import torch

from svmosaic.engine.gpu.accelerator import Tensor
from svmosaic.engine.gpu.device_table import DeviceTable
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["distinct_rows", "sum_weights"]

# Values that are hashed or compared at a time: a hash takes several numbers of 64 bits for each.
_MOST_AT_ONCE = 1 << 25
# Odd numbers of 64 bits whose multiples are spread evenly.
_FIRST_FACTOR = -0x61C8864680B583EB
_SECOND_FACTOR = -0x40A7B892E31B1A47


def distinct_rows(
    table: DeviceTable, labels: IndexArray, weights: DoubleArray
) -> tuple[IndexArray, DoubleArray] | None:
    """Return the first copies of the distinct patterns, and their weights.

    A pattern is a row and its label. They are in the order of their hashes, which depends on
    neither the order of the rows nor their repetition. None if two different patterns have one
    hash: then only comparing all of them tells.
    """
    takes_part = np.flatnonzero(weights > 0)
    is_everyone = takes_part.size == weights.size
    device = table.storage.device
    label = torch.as_tensor(labels if is_everyone else labels[takes_part], device=device)
    rows = None if is_everyone else torch.as_tensor(takes_part, device=device)
    hashes, order = torch.sort(_hash_patterns(table.values, rows, label), stable=True)
    is_first = torch.ones(hashes.numel(), dtype=torch.bool, device=device)
    torch.ne(hashes[1:], hashes[:-1], out=is_first[1:])
    if not _are_copies(table.values, rows, label, order, is_first):
        return None
    # Stable: of equal hashes, the first in the order is the first row.
    order, begins = order.cpu().numpy(), torch.nonzero(is_first)[:, 0].cpu().numpy()
    if not is_everyone:
        order = takes_part[order]
    return order[begins], sum_weights(weights, order, begins)


def _hash_patterns(values: Tensor, rows: Tensor | None, labels: Tensor) -> Tensor:
    """Return a hash of 64 bits for each pattern; equal ones have equal hashes.

    The hash of a row is the sum of the mixed bits of its values, each times a factor of its column.
    """
    factors = _mix(torch.arange(1, values.shape[1] + 1, device=values.device)) | 1
    n = labels.numel()
    hashes = torch.empty(n, dtype=torch.int64, device=values.device)
    for begin, end in _ranges(n, values.shape[1]):
        part = values[begin:end] if rows is None else values[rows[begin:end]]
        # Zero has two signs, which compare as equal; a sum with zero has one of them.
        part = part + 0.0
        is_single = part.dtype == torch.float32
        bits = part.view(torch.int32).long() if is_single else part.view(torch.int64)
        hashes[begin:end] = (_mix(bits) * factors).sum(1)
    return _mix(hashes + labels * _SECOND_FACTOR)


def _mix(bits: Tensor) -> Tensor:
    """Return numbers of which the low bits, too, depend on all bits of the given ones."""
    mixed = bits * _FIRST_FACTOR
    mixed ^= (mixed >> 32) & 0xFFFFFFFF
    mixed *= _SECOND_FACTOR
    return mixed.bitwise_xor_((mixed >> 29) & 0x7FFFFFFFF)


def _are_copies(
    values: Tensor, rows: Tensor | None, labels: Tensor, order: Tensor, is_first: Tensor
) -> bool:
    """Return whether all neighbours in the order that have one hash are the same pattern."""
    places = torch.nonzero(~is_first)[:, 0]
    differ = torch.zeros((), dtype=torch.bool, device=values.device)
    for begin, end in _ranges(places.numel(), values.shape[1]):
        left, right = order[places[begin:end] - 1], order[places[begin:end]]
        differ |= (labels[left] != labels[right]).any()
        if rows is not None:
            left, right = rows[left], rows[right]
        differ |= (values[left] != values[right]).any()
    return not bool(differ)


def _ranges(n_rows: int, n_columns: int) -> list[tuple[int, int]]:
    step = max(1, _MOST_AT_ONCE // max(1, n_columns))
    return [(begin, min(begin + step, n_rows)) for begin in range(0, n_rows, step)]


def sum_weights(weights: DoubleArray, order: IndexArray, begins: IndexArray) -> DoubleArray:
    """Return the sums of weights over ranges of an order, the same for any order within a range.

    The high bits of the weights are summed apart from the rest. As multiples of one number, few
    enough for float64, they lose nothing; what the rest loses is beyond the last bit of the sum,
    but for a chance of about 1e-10.
    """
    counts = np.diff(begins, append=order.size)
    if weights.min() == weights.max():
        return np.asarray(counts * weights[0])
    chosen = weights[order]
    # 2^53 of these add up to more than all weights do.
    n_bits = int(np.frexp(chosen.max())[1]) + order.size.bit_length()
    unit = max(np.ldexp(1.0, n_bits - 53), np.finfo(np.float64).smallest_subnormal)
    high = np.rint(chosen / unit) * unit
    sums: DoubleArray = np.add.reduceat(high, begins) + np.add.reduceat(chosen - high, begins)
    return sums
