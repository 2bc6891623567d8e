"""What real work showed of GPUs and nodes: measurements, and what they make together."""
