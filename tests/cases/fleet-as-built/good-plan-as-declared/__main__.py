"""Cluster and pools as they are declared."""

from nodes import cluster, group

ml = cluster("1.34")
group(ml, "h100", "AL2023_x86_64_NVIDIA", "p5.48xlarge")
group(ml, "t4", "AL2023_x86_64_NVIDIA", "g4dn.12xlarge")
