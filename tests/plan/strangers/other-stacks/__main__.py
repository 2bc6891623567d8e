import base64

import pulumi
import pulumi_aws as aws

cfg = pulumi.Config()
net = pulumi.StackReference(cfg.require("netStack"))
eks = pulumi.StackReference("eks", stack_name="acme/eks/prod")
subnets = net.require_output("privateSubnetIds")
cluster_name = eks.require_output("clusterName")
endpoint = eks.get_output("endpoint")
ca = eks.get_output("ca")
node_sg = eks.get_output("nodeSecurityGroupId")

user_data = pulumi.Output.all(cluster_name, endpoint, ca).apply(
    lambda a: (
        f"""MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: {a[0]}
    apiServerEndpoint: {a[1]}
    certificateAuthority: {a[2]}
    cidr: 172.20.0.0/16
  kubelet:
    flags:
      - --node-labels=role=gpu
      - --register-with-taints=nvidia.com/gpu=true:NoSchedule
--BOUNDARY--
"""
    )
)
lt = aws.ec2.LaunchTemplate(
    "gpu",
    image_id="ami-0d1f4b9b8a5c7e2f1",
    instance_type="g5.12xlarge",
    user_data=user_data.apply(lambda t: base64.b64encode(t.encode()).decode()),
    vpc_security_group_ids=[node_sg],
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[
        {"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "volume_type": "gp3", "encrypted": "true"}}
    ],
    tag_specifications=[{"resource_type": "instance", "tags": {"Name": "gpu"}}],
    update_default_version=True,
)
aws.autoscaling.Group(
    "gpu",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=subnets,
    launch_template={"id": lt.id, "version": lt.latest_version.apply(str)},
    tags=[
        {
            "key": pulumi.Output.concat("kubernetes.io/cluster/", cluster_name),
            "value": "owned",
            "propagate_at_launch": True,
        }
    ],
)
pulumi.export("template", lt.id)
