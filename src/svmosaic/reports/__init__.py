"""Reports: results that others measured, as tables and pages. Nothing here trains a model."""

from __future__ import annotations

from svmosaic.reports.document import Cell, Details, Document, Figure, Section, Table
from svmosaic.reports.experiment_report import Report, experiment_report, write_report
from svmosaic.reports.html import render, write_html
from svmosaic.reports.stream_report import stream_report, write_stream_report

__all__ = [
    "Cell",
    "Details",
    "Document",
    "Figure",
    "Report",
    "Section",
    "Table",
    "experiment_report",
    "render",
    "stream_report",
    "write_html",
    "write_report",
    "write_stream_report",
]
