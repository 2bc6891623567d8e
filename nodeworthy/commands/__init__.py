"""One module a command: `Options` are what it takes, `configure(parser)` tells people, `run(options)` does it and
returns the exit code. What several commands take stands in the same way beside what they do with it."""
