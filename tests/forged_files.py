"""The parts of a model file, and a file made of changed parts."""

from __future__ import annotations

import json

import safetensors.numpy

from svmosaic.persistence.model_file import _checksum
from svmosaic.utils.strict_json import canonical_json

__all__ = ["forge", "open_up"]


def open_up(content):
    """Return the header, without the checksum, and the tensors of a model file."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["svmosaic"])
    del header["sha256"]
    return header, safetensors.numpy.load(content)


def forge(header, tensors):
    """Return a model file with a checksum that fits."""
    header = {**header, "sha256": _checksum(header, tensors)}
    return safetensors.numpy.save(tensors, metadata={"svmosaic": canonical_json(header)})
