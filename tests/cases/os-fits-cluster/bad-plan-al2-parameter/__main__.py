"""The template of the GPU nodes that were here before the fleet."""

import pulumi_aws as aws

PARAMETER = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2-gpu/recommended/image_id"

aws.ec2.LaunchTemplate(
    "t4",
    image_id=f"resolve:ssm:{PARAMETER}",
    instance_type="g4dn.12xlarge",
    metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(http_tokens="required", http_put_response_hop_limit=2),
    block_device_mappings=[
        aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
            device_name="/dev/xvda",
            ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=100, encrypted="true"),
        )
    ],
)
