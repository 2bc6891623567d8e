#!/bin/bash
set -euo pipefail
TOKEN=$(curl -sX PUT http://169.254.169.254/latest/api/token -H 'X-aws-ec2-metadata-token-ttl-seconds: 300')
CLUSTER=$(curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/tags/instance/cluster)
/etc/eks/bootstrap.sh "$CLUSTER"
