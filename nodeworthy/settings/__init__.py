"""What a repository decides for every run in it: `.nodeworthy.yaml`, or `[tool.nodeworthy]` in pyproject.toml."""
