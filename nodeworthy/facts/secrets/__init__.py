"""What anybody can read in files that should hold no secret."""
