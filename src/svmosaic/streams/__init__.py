"""Data streams: generators, wrappers for drift and noise, files as streams, evaluation.

Reading a stream is a pure function of the position, so that a run can be cut into any chunks and
taken up anywhere.
"""

from __future__ import annotations

from svmosaic.drift import DDM, DriftDetector
from svmosaic.streams.array_stream import ArrayStream
from svmosaic.streams.attribute_noise import AttributeNoise
from svmosaic.streams.block_stream import BlockStream
from svmosaic.streams.concept_drift import Blips, ConceptDrift
from svmosaic.streams.file_stream import FileStream
from svmosaic.streams.generators import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    Hyperplane,
    Mixed,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
)
from svmosaic.streams.learners import as_learner
from svmosaic.streams.prequential import prequential
from svmosaic.streams.prequential_result import PrequentialResult
from svmosaic.streams.published_streams import StreamInfo, describe_stream, list_streams, stream
from svmosaic.streams.stream_protocol import Stream

__all__ = [
    "DDM",
    "LED",
    "SEA",
    "STAGGER",
    "Agrawal",
    "ArrayStream",
    "AttributeNoise",
    "Blips",
    "BlockStream",
    "ConceptDrift",
    "DriftDetector",
    "FileStream",
    "Hyperplane",
    "Mixed",
    "PrequentialResult",
    "RandomRBF",
    "RandomTree",
    "Sine",
    "Stream",
    "StreamInfo",
    "Waveform",
    "as_learner",
    "describe_stream",
    "list_streams",
    "prequential",
    "stream",
]
