"""Replaces the stale nodes of a group, each proven before the next one goes; stops at the first failure."""
