#!/bin/bash
set -e
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type g5.xlarge --user-data "set -e
apt-get update
apt-get install -y nvidia-driver-570-server"
