"""The language server: what `check` finds, while one types."""
