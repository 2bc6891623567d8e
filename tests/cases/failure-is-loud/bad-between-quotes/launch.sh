#!/bin/bash
set -e
WORKER_USERDATA='#!/bin/bash
apt-get update
apt-get install -y nvidia-driver-570-server
echo done'
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type g5.xlarge \
  --metadata-options HttpTokens=required --user-data "$WORKER_USERDATA"
