"""Reads what programs said that made GPUs work: recordings of runs of `accept`."""
