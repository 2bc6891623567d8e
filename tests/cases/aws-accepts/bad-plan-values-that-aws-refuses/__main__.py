"""What a template engine and a tired evening made of a launch template and its group."""

import pulumi_aws as aws

template = aws.ec2.LaunchTemplate(
    "l4",
    image_id="ami-0123456789abcdef0",
    instance_type="g6.12xlarges",
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": "two"},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    instance_initiated_shutdown_behavior="destroy",
)
aws.autoscaling.LifecycleHook(
    "drain",
    name="drain before termination!",
    autoscaling_group_name="gpu-dev-l4",
    lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat_timeout=900,
)
aws.efs.FileSystem("shared", encrypted=True, throughput_mode="elastic-burst", tags={"Name": "shared"})
aws.eks.Addon("dns", cluster_name="gpu dev", addon_name="coredns")
