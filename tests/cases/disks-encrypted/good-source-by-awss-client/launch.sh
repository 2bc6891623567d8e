#!/bin/bash
set -euo pipefail
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type g5.12xlarge \
  --metadata-options HttpTokens=required,HttpPutResponseHopLimit=1 \
  --block-device-mappings 'DeviceName=/dev/sda1,Ebs={VolumeSize=200,Encrypted=true}'
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type t3.large
aws ec2 run-instances --instance-type g5.xlarge --launch-template LaunchTemplateName=gpu
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type g5.xlarge --block-device-mappings file://disks.json
