"""Model files: save and load fitted models, and exchange them as LIBSVM text or ONNX.

Loading reads numbers and text, checks all of it, imports nothing that a file names and runs
nothing from it.
"""

from __future__ import annotations

from svmosaic.persistence.libsvm_text import export_libsvm, import_libsvm
from svmosaic.persistence.model_file import load, save
from svmosaic.persistence.onnx_file import export_onnx
from svmosaic.persistence.trusted_types import trusted_types

__all__ = ["export_libsvm", "export_onnx", "import_libsvm", "load", "save", "trusted_types"]
