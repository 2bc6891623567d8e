"""Tests against the real programs, and how these are found, started and stopped."""
