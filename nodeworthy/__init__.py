"""Proves that a GPU node is fit for work."""

__version__ = "0.1.0"
