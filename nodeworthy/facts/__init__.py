"""Kinds of things that rules are about, one file each; what collectors find is turned into these."""
