#!/bin/bash
# DNS_SERVERS comes from whoever starts the machine.
set -euo pipefail
LABELS=gpu=true

mkdir -p /etc/systemd/resolved.conf.d
cat <<EOF > /etc/systemd/resolved.conf.d/dns.conf
[Resolve]
DNS=${DNS_SERVERS}
EOF
systemctl restart systemd-resolved

cat <<EOF > /etc/systemd/system/kubelet.service.d/20-labels.conf
[Service]
Environment=KUBELET_EXTRA_ARGS=--node-labels=$LABELS
EOF

apt-get install -y containerd kubelet kubeadm
kubeadm join --config /root/join.yaml
