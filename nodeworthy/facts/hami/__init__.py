"""HAMi: what it was told, what it does, and what it did."""
