"""Generators of artificial streams, one to a file."""

from __future__ import annotations

from svmosaic.streams.generators.agrawal import Agrawal
from svmosaic.streams.generators.hyperplane import Hyperplane
from svmosaic.streams.generators.led import LED
from svmosaic.streams.generators.mixed import Mixed
from svmosaic.streams.generators.random_rbf import RandomRBF
from svmosaic.streams.generators.random_tree import RandomTree
from svmosaic.streams.generators.sea import SEA
from svmosaic.streams.generators.sine import Sine
from svmosaic.streams.generators.stagger import STAGGER
from svmosaic.streams.generators.waveform import Waveform

__all__ = [
    "LED",
    "SEA",
    "STAGGER",
    "Agrawal",
    "Hyperplane",
    "Mixed",
    "RandomRBF",
    "RandomTree",
    "Sine",
    "Waveform",
]
