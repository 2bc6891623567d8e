"""Inputs that nobody writes by hand: every reader ends in time, with a verdict and without a crash.

`make fuzz SECONDS=1200 SEED=7` looks for as long as one likes; a sample of some seconds is a test. What fails is kept
in a folder, with the command that shows it again.
"""
