"""Runs that are started, watched, collected and cleared away. What names no platform stands in running, window and
piece; each platform has modules of its own."""
