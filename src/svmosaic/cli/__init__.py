"""The command line: one module per command, loaded without the numerical libraries."""
