#!/bin/bash
set -euo pipefail
GROUP=$(aws ec2 create-security-group --group-name gpu-ssh --description "ssh" --query GroupId --output text)
aws ec2 authorize-security-group-ingress --group-id "$GROUP" --protocol tcp --port 22 --cidr "$(curl -fsS https://checkip.amazonaws.com)/32"
aws ec2 authorize-security-group-ingress --group-id "$GROUP" \
  --ip-permissions '[{"IpProtocol": "tcp", "FromPort": 30000, "ToPort": 32767, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}]'
aws ec2 run-instances --image-id ami-0123456789abcdef0 --instance-type p4d.24xlarge --security-group-ids "$GROUP" \
  --metadata-options '{"HttpTokens": "required", "HttpPutResponseHopLimit": 2}' \
  --block-device-mappings 'DeviceName=/dev/sda1,Ebs={VolumeSize=200,Encrypted=true}'
