#!/bin/bash
# A worker from the plain binaries
set -euo pipefail
VERSION=v1.33.1
cd /usr/local/bin
curl -fsSLO --remote-name-all "https://dl.k8s.io/${VERSION}/bin/linux/amd64/{kubelet,kubectl}"
chmod 0755 kubelet kubectl

cat > /etc/systemd/system/kubelet.service <<'UNIT'
[Unit]
Description=kubelet
After=containerd.service
Requires=containerd.service

[Service]
ExecStart=/usr/local/bin/kubelet --config=/etc/kubernetes/kubelet.yaml --kubeconfig=/etc/kubernetes/kubelet.conf
Restart=always

[Install]
WantedBy=multi-user.target
UNIT

systemctl daemon-reload
systemctl enable --now containerd
systemctl start kubelet

# the new kernel parameters need a reboot
reboot
