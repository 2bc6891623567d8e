#!/bin/bash
for i in $(seq 1 "$1"); do
  multipass launch --name "gpu-$i" --cpus 8
  multipass exec gpu-0 -- sudo kubeadm token create --print-join-command > words.sh
  multipass transfer words.sh "gpu-$i:/tmp/words.sh"
  multipass exec "gpu-$i" -- sudo sh /tmp/words.sh || { echo "gpu-$i did not join" >&2; exit 1; }
  multipass exec "gpu-$i" -- sh /tmp/motd.sh
  echo "gpu-$i is a node"
done
