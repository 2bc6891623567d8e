"""One module a command: `configure(parser)` says what it takes, `run(options)` does it and returns the exit code."""
