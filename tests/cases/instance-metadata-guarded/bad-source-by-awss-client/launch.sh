#!/bin/bash
set -euo pipefail
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type p4d.24xlarge \
  --metadata-options '{"HttpTokens": "optional", "HttpPutResponseHopLimit": 3}' \
  --block-device-mappings 'DeviceName=/dev/sda1,Ebs={VolumeSize=200,Encrypted=true}'
