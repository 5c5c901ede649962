"""Random numbers for one block of one stream, independent of all others."""

from __future__ import annotations

import enum

import numpy as np

__all__ = ["Purpose", "block_rng"]


class Purpose(enum.IntEnum):
    """What random numbers are for; each purpose has numbers of its own under one seed."""

    SAMPLES = 0
    MODEL = 1
    DRIFT = 2
    MIXING = 3
    ATTRIBUTE_NOISE = 4
    ORDER = 5


def block_rng(seed: int, purpose: Purpose, block: int = 0) -> np.random.Generator:
    """Return the random numbers of one block.

    Parameters
    ----------
    seed : int
        The stream's seed, not negative.
    purpose : Purpose
        What they are for.
    block : int, default=0
        Number of the block.
    """
    # Always three words: shorter lists would be filled up with zeros and could coincide.
    # PCG64: as cheap to make as any (12 microseconds), and its uniform numbers cost a third of
    # those of Philox.
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, purpose, block])))
