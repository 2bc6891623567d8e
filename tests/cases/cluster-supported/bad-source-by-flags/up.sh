#!/usr/bin/env bash
set -euo pipefail
CLUSTER=${CLUSTER:-notebooks}

eksctl create cluster --name "$CLUSTER" --region eu-west-1 --version 1.28 --without-nodegroup
eksctl create nodegroup --cluster "$CLUSTER" --name a10g --node-type g5.2xlarge --nodes 1 --nodes-max 4
