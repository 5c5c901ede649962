"""Reports: results that others measured, as tables and pages. Nothing here trains a model."""

from __future__ import annotations

from svmosaic.reports.html import Document, Figure, Section, Table, render, write_html

__all__ = ["Document", "Figure", "Section", "Table", "render", "write_html"]
