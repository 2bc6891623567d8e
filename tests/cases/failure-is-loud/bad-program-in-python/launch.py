import boto3

NODE = """#!/bin/bash
apt-get update
apt-get install -y nvidia-driver-570-server
echo "{name} is done"
"""


def launch(name: str) -> None:
    boto3.client("ec2").run_instances(
        ImageId="ami-0123456789abcdef0", InstanceType="g5.xlarge", MinCount=1, MaxCount=1, UserData=NODE.format(name=name)
    )
