"""Work that verifies nodes, and keeps out of the way of other work."""
