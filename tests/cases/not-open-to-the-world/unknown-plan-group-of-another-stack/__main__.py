"""Two T4 nodes with three interfaces, behind the group that the stack of the network has."""

import pulumi
import pulumi_aws as aws

network = pulumi.StackReference("platform/network/dev")
aws.ec2.LaunchTemplate(
    "t4",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g4dn.12xlarge",
    network_interfaces=[
        {
            "device_index": index,
            "security_groups": [network.get_output("nodeGroup")],
            "delete_on_termination": "true",
        }
        for index in range(3)
    ],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "t4"},
)
