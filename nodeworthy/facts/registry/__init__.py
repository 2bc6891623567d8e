"""What a node trusts as a registry, and how it finds its name."""
