"""Known faults, each injected into a fresh node, and what the node suite says of it.

`scripts/` has a fault a file, `healthy.sh` is the boot script of the node without any, `fleet.yaml` what it is judged
by; the node itself is the image `gpu-node`. `fault` reads the files, `injecting` makes one node and asks it, `running`
does that for many, `table` and `page` tell what came of it.
"""
