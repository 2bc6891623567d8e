"""The node suite: the rules of the node moment as pytest tests, one for each host and rule."""
