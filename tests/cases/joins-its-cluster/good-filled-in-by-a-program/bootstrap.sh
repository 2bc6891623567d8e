#!/bin/bash
# A test's user data: fmt.Sprintf puts name, endpoint and CA into it.
set -euo pipefail
/etc/eks/bootstrap.sh '%s' --apiserver-endpoint '%s' --b64-cluster-ca '%s' \
  --kubelet-extra-args '--node-labels=team=%s'
