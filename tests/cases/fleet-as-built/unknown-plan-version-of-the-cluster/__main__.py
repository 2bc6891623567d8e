"""The version of the cluster is one that another resource will say."""

import pulumi_aws as aws
from nodes import cluster, group

ml = cluster(aws.ssm.Parameter("kubernetes-version", type="String", value_wo_version=1).value)
group(ml, "h100", "AL2023_x86_64_NVIDIA", "p5.48xlarge")
group(ml, "t4", "AL2023_x86_64_NVIDIA", "g4dn.12xlarge")
