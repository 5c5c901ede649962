"""Samples as integers of three digits, which matrix units multiply exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from svmosaic.engine.gpu.accelerator import Tensor

__all__ = ["Digits", "step_for"]

# The largest number: the high digit is 127 at most, and two more follow.
_LARGEST = 127 << 16
# Matrix units take 32 numbers of 8 bits at a time.
_UNIT = 32
_MOST_AT_ONCE = 64
# Rows that are taken as float64 at a time.
_ROWS_AT_ONCE = 1 << 18


def step_for(largest: float, radius: float, n_features: int) -> float:
    """Return the step for rows of features up to `largest` and norms up to `radius`.

    A high digit is 127 at most. x'x of high digits stays below 2^22, so that float32 holds sums and
    differences of a few of them; products of high and middle digits, times 256, stay within 32
    bits.
    """
    step = max(largest / 127.0, radius / 2000.0, radius * math.sqrt(n_features) / 32000.0)
    return step if step > 0.0 else 1.0


@dataclass(frozen=True)
class Digits:
    """Rows x = step (high + middle / 256 + low / 65536), and x'x in the same units.

    Attributes
    ----------
    high, middle, low : Tensor of int8, shape (n, width)
        The digits. The width is that of the samples filled up with zeros to a power of 2, or to a
        multiple of 64.
    wholes, rests : Tensor of float32, shape (n,)
        x'x of the high digits, and the rest of it times 65536.
    """

    high: Tensor
    middle: Tensor
    low: Tensor
    wholes: Tensor
    rests: Tensor

    @classmethod
    def of(cls, table: Tensor, origin: Tensor, factor: float) -> Digits:
        """Return the rows (x - origin) factor, in steps; the last row, padding, is zero."""
        parts = [_digits(rows, origin, factor) for rows in table.split(_ROWS_AT_ONCE)]
        digits = cls(*(torch.cat(arrays) for arrays in zip(*parts, strict=True)))
        for array in digits.arrays:
            array[-1].zero_()
        return digits

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.high.shape[0])

    @property
    def width(self) -> int:
        """Number of features, those that fill up included."""
        return int(self.high.shape[1])

    @property
    def arrays(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """All arrays, as kernels take them."""
        return self.high, self.middle, self.low, self.wholes, self.rests

    def numbers(self) -> Tensor:
        """Return the rows by the step in float32, which holds them exactly."""
        small = self.middle.float().mul_(256.0).add_(self.low)
        return small.mul_(2.0**-16).add_(self.high)

    def take(self, index: Tensor) -> Digits:
        """Return some of the rows."""
        return Digits(*(part[index] for part in self.arrays))


def _digits(rows: Tensor, origin: Tensor, factor: float) -> tuple[Tensor, ...]:
    d = rows.shape[1]
    width = _UNIT if d <= _UNIT else -(-d // _MOST_AT_ONCE) * _MOST_AT_ONCE
    # Rounded once only: after a difference in float32, close samples would not be as close.
    steps = (rows.double() - origin.double()).mul_(65536.0 * factor).round_()
    rest = torch.nn.functional.pad(steps.clamp_(-_LARGEST, _LARGEST).int(), (0, width - d))
    low, rest = _last_digit(rest)
    middle, rest = _last_digit(rest)
    high = rest.to(torch.int8)
    h, m = high.float(), middle.float()
    wholes = h.square().sum(dim=1)
    # In float64, where such sums are exact; then rounded to float32 as those of products are.
    rests = m.square().add_(h * (2.0 * low + 512.0 * m)).sum(dim=1, dtype=torch.float64)
    return high, middle, low, wholes, rests.float()


def _last_digit(numbers: Tensor) -> tuple[Tensor, Tensor]:
    """Return the last digit, -128 to 127, and what is before it."""
    digit = ((numbers + 128) & 255) - 128
    return digit.to(torch.int8), (numbers - digit) >> 8
