"""Kernel classifiers, one file per published method."""
