#!/bin/bash
set -euo pipefail

curl -sfLo /tmp/k3s.sh https://get.k3s.io
sh /tmp/k3s.sh server --flannel-backend=none --disable-network-policy
