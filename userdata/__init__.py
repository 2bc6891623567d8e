"""Writes boot scripts: typed builders, one per family of images."""
