"""Data files as rows that are read one chunk at a time."""

from __future__ import annotations
