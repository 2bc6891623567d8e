"""The AWS resources of a stack: groups of nodes, their network, their disks."""
