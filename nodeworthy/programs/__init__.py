"""What runs on the nodes: the files of this folder and nothing else, with Python 3.9 or newer and torch. Nothing here
imports nodeworthy, and nothing here judges: programs print what they measured, and rules judge it elsewhere."""
