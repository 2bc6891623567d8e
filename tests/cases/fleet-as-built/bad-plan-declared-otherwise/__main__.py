"""The cluster is a version behind, one pool runs another system than is declared, and one is made by nobody."""

from nodes import cluster, group

group(cluster("1.33"), "h100", "BOTTLEROCKET_x86_64_NVIDIA", "p5.48xlarge")
