"""Readers of data files: the table of formats is in `reader`, each format in its own module."""
