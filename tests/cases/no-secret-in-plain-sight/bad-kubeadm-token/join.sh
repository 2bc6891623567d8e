#!/bin/bash
set -e
kubeadm join 10.0.0.9:6443 \
  --token 9a08jv.c0izixklcxtmnze7 \
  --discovery-token-ca-cert-hash sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945
systemctl enable kubelet
