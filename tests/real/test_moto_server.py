"""An account of moto's is new with each server, although moto has one for the whole process."""

from __future__ import annotations

from .moto_server import MotoServer

TRUST = '{"Version": "2012-10-17", "Statement": []}'
# What AWS itself brings, and what a test attaches.
POLICY = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"


def test_it_knows_nothing_of_the_one_before_it() -> None:
    for _ in range(2):
        with MotoServer("us-east-2") as moto:
            iam, ec2 = moto.aws.client("iam"), moto.aws.client("ec2")
            assert iam.list_roles()["Roles"] == []
            iam.create_role(RoleName="node", AssumeRolePolicyDocument=TRUST)
            iam.attach_role_policy(RoleName="node", PolicyArn=POLICY)
            assert len(iam.list_roles()["Roles"]) == 1
            assert [each["IsDefault"] for each in ec2.describe_vpcs()["Vpcs"]] == [True]
            ec2.create_vpc(CidrBlock="10.0.0.0/16")
