#!/bin/bash
set -euo pipefail
AGE=$(kubectl get nodes --no-headers | awk '{print $4}')
if [[ '$AGE' =~ 'd' ]]; then
  JOIN=$(kubeadm token create --print-join-command)
else
  JOIN=$(tail -n 2 /root/kubeadm-init.log)
fi
[ ! '$JOIN' = '' ] && $JOIN
