"""The papers' tables and figures, run again and shown beside the printed ones.

A table or figure is a TOML file in ``specs`` and, where numbers were printed, a CSV file in
``printed``. Adding these two files adds the table.
"""

from __future__ import annotations

from svmosaic.reproduce.paper_spec import TableSpec, find_table, list_tables
from svmosaic.reproduce.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "TableSpec", "find_table", "list_tables", "reproduce"]
