#!/bin/bash
set -euo pipefail
TOKEN=$(curl -s -X PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 60")
VERSION="${driver_version}"
apt-get install -y "nvidia-driver-$${VERSION}-server"
ID=$(curl -s -H "X-aws-ec2-metadata-token: $$TOKEN" http://169.254.169.254/latest/meta-data/instance-id)
hostnamectl set-hostname "$$ID"
