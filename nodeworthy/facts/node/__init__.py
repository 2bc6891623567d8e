"""A node as it is, looked at from within; and the files that a change puts on it."""
