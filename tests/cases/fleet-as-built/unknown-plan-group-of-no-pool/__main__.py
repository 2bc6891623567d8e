"""The second pool may be the group that takes what it can get."""

from nodes import cluster, group

ml = cluster("1.34")
group(ml, "h100", "AL2023_x86_64_NVIDIA", "p5.48xlarge")
group(ml, "any", "AL2023_x86_64_NVIDIA", "g5.12xlarge")
