"""The same fault by any door: what a rule says of a plain file it says of the same thing however people write it."""
