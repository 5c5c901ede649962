"""The few errors and warnings that svmosaic defines itself."""

from __future__ import annotations

__all__ = ["DataFileError", "DataNotFoundError", "MissingDependencyError", "ModelFileError"]


class DataFileError(ValueError):
    """A data file is malformed; the message names the file, the line and how to fix it."""


class DataNotFoundError(LookupError):
    """No data set of that name is known, or its file is not available."""


class ModelFileError(ValueError):
    """A model file is damaged, of another format or of a newer version."""


class MissingDependencyError(ImportError):
    """An optional package is needed for what was asked; the message says which."""
