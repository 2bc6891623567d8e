"""Documents as trees whose every value knows its place."""
