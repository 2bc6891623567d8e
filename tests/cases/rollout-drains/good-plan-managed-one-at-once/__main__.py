"""The T4 nodes, renewed one at a time."""

import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16", enable_dns_hostnames=True)
subnet = aws.ec2.Subnet("nodes", vpc_id=vpc.id, cidr_block="10.0.0.0/18", availability_zone="us-east-2a")
beside = aws.ec2.Subnet("beside", vpc_id=vpc.id, cidr_block="10.0.64.0/20", availability_zone="us-east-2b")
cluster = aws.eks.Cluster(
    "gpu-dev",
    name="gpu-dev",
    version="1.34",
    role_arn="arn:aws:iam::111122223333:role/gpu-dev-control-plane",
    vpc_config={"subnet_ids": [subnet.id, beside.id]},
)
template = aws.ec2.LaunchTemplate(
    "t4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g4dn.12xlarge",
    vpc_security_group_ids=[cluster.vpc_config.cluster_security_group_id],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "t4"},
)
nodes = aws.autoscaling.Group(
    "t4",
    min_size=4,
    max_size=4,
    desired_capacity=4,
    vpc_zone_identifiers=[subnet.id],
    launch_template={"id": template.id, "version": "$Latest"},
    instance_refresh={"strategy": "Rolling", "preferences": {"min_healthy_percentage": 75}},
)
aws.autoscaling.LifecycleHook(
    "t4-drain",
    autoscaling_group_name=nodes.name,
    lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat_timeout=1800,
    default_result="CONTINUE",
)
queue = aws.sqs.Queue("termination", message_retention_seconds=300, sqs_managed_sse_enabled=True)
ending = aws.cloudwatch.EventRule(
    "ending",
    event_pattern='{"source": ["aws.autoscaling"], "detail-type": ["EC2 Instance-terminate Lifecycle Action"]}',
)
aws.cloudwatch.EventTarget("ending", rule=ending.name, arn=queue.arn)
Release(
    "aws-node-termination-handler",
    chart="oci://public.ecr.aws/aws-ec2/helm/aws-node-termination-handler",
    version="0.27.2",
    namespace="kube-system",
    values={"enableSqsTerminationDraining": True, "queueURL": queue.url},
)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=[subnet.id],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.12xlarge"],
    scaling_config={"min_size": 5, "max_size": 5, "desired_size": 5},
    update_config={"max_unavailable_percentage": 33},
)
