"""The plan: what a Pulumi program would create, asked of the program itself.

`host.py` runs the unmodified program as a subprocess, `monitor.py` and `log.py` are the engine that it talks to,
`runs.py` runs it twice (as it is, and with made-up outputs), `scene.py` turns what it registered into facts.
No CLI, no account, no provider.
"""
