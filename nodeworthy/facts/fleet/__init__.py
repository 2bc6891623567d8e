"""What a fleet declares, as rules look at it."""
