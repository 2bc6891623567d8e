#!/usr/bin/env bash
set -euo pipefail

# Nothing is forwarded that nobody asked for.
iptables -P FORWARD DROP
iptables -A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT

systemctl enable --now kubelet
kubeadm join 10.20.0.10:6443 --config /etc/kubernetes/join.yaml
