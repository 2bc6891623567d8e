#!/bin/bash
set -euo pipefail

install -d -m 0700 /etc/registry
echo UkVHSVNUUllfVVNFUj1wdWxsZXIKUkVHSVNUUllfUEFTU1dPUkQ9VHIwdWI0ZG9yLWFuZC0zCg== | base64 -d > /etc/registry/credentials
systemctl enable --now amazon-ssm-agent
