"""The template of the CPU nodes. What writes their script encodes it, and so does what takes it."""

import base64

import pulumi
import pulumi_aws as aws

SUBNETS = ["subnet-0a1b2c3d4e5f60718", "subnet-0b2c3d4e5f6071829"]
cluster = aws.eks.Cluster(
    "gpu-dev", name="gpu-dev", role_arn="arn:aws:iam::123456789012:role/eks", vpc_config={"subnet_ids": SUBNETS}
)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def boot_script(said: dict) -> str:
    return encoded(f"""\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: {said["name"]}
    apiServerEndpoint: {said["endpoint"]}
    certificateAuthority: {said["ca"]}
    cidr: 172.20.0.0/16
--//--
""")


script = pulumi.Output.all(name=cluster.name, endpoint=cluster.endpoint, ca=cluster.certificate_authority.data).apply(
    boot_script
)
aws.ec2.LaunchTemplate(
    "cpu",
    image_id="ami-0123456789abcdef0",
    instance_type="c7i.4xlarge",
    user_data=script.apply(encoded),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 100, "encrypted": "true"}}],
    vpc_security_group_ids=[cluster.vpc_config.cluster_security_group_id],
    tags={"nodeworthy/pool": "cpu"},
)
