"""What a fleet is: the one declaration from which resources, boot scripts, values and expectations follow.

`read.py` reads one from stack config and refuses what is malformed, with its place; `model.py` is what the
rest of the house sees; `operator.py` derives the GPU operator's values from the pools.
"""
