"""What a repository has wrong today, written down, so that only what is new fails."""
