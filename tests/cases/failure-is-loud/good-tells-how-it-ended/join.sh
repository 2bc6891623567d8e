#!/bin/bash
set -o xtrace
/etc/eks/bootstrap.sh serve
/opt/aws/bin/cfn-signal \
  --exit-code $? \
  --stack serve \
  --resource Nodes
