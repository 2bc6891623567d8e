#!/bin/bash
set -euo pipefail
bash /opt/site/prepare.sh
/etc/eks/bootstrap.sh gpu-dev --kubelet-extra-args '--node-labels=kind=worker'
