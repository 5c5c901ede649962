"""Measures of predictions."""
