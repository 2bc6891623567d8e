#!/bin/bash
curl -fsSL https://raw.githubusercontent.com/example/terraform-kubeadm/main/join-k8s-worker.sh | bash -s -- 10.0.0.4
echo done
