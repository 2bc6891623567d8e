"""A launch template whose metadata service was meant to be guarded, and whose interface was meant to be EFA."""

import pulumi_aws as aws

aws.ec2.LaunchTemplate(
    "t4",
    image_id="ami-0123456789abcdef0",
    instance_type="g4dn.12xlarge",
    metadata_options={"http_token": "required", "http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    network_interfaces=[{"device_index": 0, "interfaceTyp": "interface", "delete_on_termination": "true"}],
)
