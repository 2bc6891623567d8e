"""The node moment: one script read through testinfra's host, recorded, and turned into a fact."""
