"""What a boot script does to its node, and what is wrong with it."""
