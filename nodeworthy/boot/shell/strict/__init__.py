"""Whether bash can read a script, with its own words: as `bash -n` of version 5.2 reads it, and nothing is run."""
