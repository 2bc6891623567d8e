#!/bin/bash
set -euo pipefail

# Monitoring first, so that the rest of this boot is seen.
curl -fsSL https://downloads.example.com/monitoring-agent/install.sh | bash
/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl -a fetch-config -m ec2 -s

apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y nvidia-driver-570-server nvidia-utils-570-server nsight-compute-2025.1.1
