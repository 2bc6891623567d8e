"""The node suite: the rules of the node moment as pytest tests, a test per host and rule."""
