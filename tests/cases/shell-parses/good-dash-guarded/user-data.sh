#!/bin/sh
set -eu
if (set -o pipefail 2>/dev/null); then
  set -o pipefail
fi
apt-get install -y nvidia-driver-570-server
echo "arrays=(are for bash) <<< and so is |& and <(this)"
bash -c 'names=(a b); cat <<< "${names[0]}"'
bash <<'THERE'
set -o pipefail
names=(c d)
THERE
kubeadm join --config /etc/kubernetes/join.yaml
