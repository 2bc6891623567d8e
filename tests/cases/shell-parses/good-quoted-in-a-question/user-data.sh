#!/bin/bash
set -euo pipefail
AGE=$(kubectl get nodes --no-headers | awk '{print $4}')
# [[ '$AGE' =~ d ]] would ask for a word.
if [[ "$AGE" =~ 'd' ]]; then
  ssh master "[ '$AGE' = 3d ] && kubeadm token create --print-join-command" > /root/join
fi
awk '{ if ($1 == "a") print "[ '"'"'$x'"'"' = b ]" }' /root/join
cat > /root/later.sh <<'TEXT'
[ '$AGE' = old ] && exit 1
TEXT
