"""Shell scripts: from text to syntax, from syntax to effects."""
