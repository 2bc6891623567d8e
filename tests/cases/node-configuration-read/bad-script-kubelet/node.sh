#!/bin/bash
set -euo pipefail
mkdir -p /etc/kubernetes/kubelet.conf.d
cat > /etc/kubernetes/kubelet.conf.d/10-gpu.conf <<'CONF'
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
topologyManagerPolicy: single-numa-node
cpu-manager-policy: static
CONF
systemctl restart kubelet
