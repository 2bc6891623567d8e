"""Boots fresh nodes on this machine, as root: a real systemd, a real cloud-init, and what really happened in them.

`rootfs` makes the system that every node starts from, `packages` the repositories that stand in for NVIDIA's and
Kubernetes', `node` boots one with user data, `observation` tells what it has become, `differences` compares that with
what the timeline of the script said. `kernel` asks a real kernel what it loads the module with.
"""
