"""The papers' tables and figures, run again and shown beside the printed ones.

A table or figure is a TOML file in ``specs`` and, where numbers were printed, a CSV file in
``printed``. Adding these two files adds the table.
"""

from __future__ import annotations

from svmosaic.reproduce.run import Reproduction, reproduce
from svmosaic.reproduce.spec import TableSpec, find_table, list_tables

__all__ = ["Reproduction", "TableSpec", "find_table", "list_tables", "reproduce"]
