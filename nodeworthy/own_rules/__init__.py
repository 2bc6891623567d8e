"""Rules of a user's own repository: the same form as ours, loaded only where somebody named their folder."""
