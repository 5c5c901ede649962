"""Kernel regressors."""
