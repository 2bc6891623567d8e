"""The L4 nodes; their script was the one of the pool before them."""

import base64

import pulumi_aws as aws

CA = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMIIDBTCCAe2gAwIBAgIIX\n-----END CERTIFICATE-----\n").decode()
NODE_CONFIG = f"""\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: serving
    apiServerEndpoint: https://9F2C.gr7.us-west-2.eks.amazonaws.com
    certificateAuthority: {CA}
    cidr: 172.20.0.0/16
  kubelet:
    flags:
      - --node-labels=nodeworthy/pool=a10g,node.kubernetes.io/lifecycle=normal
"""
aws.ec2.LaunchTemplate(
    "l4",
    image_id="ami-0123456789abcdef0",
    instance_type="g6.12xlarge",
    user_data=base64.b64encode(NODE_CONFIG.encode()).decode(),
    tags={"nodeworthy/pool": "l4"},
)
