"""Mends of a cluster what it understands, and nothing else: shows it, asks, applies it, looks again, puts it back."""
