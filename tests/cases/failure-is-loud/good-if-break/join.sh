#!/bin/bash
# Joins a worker to the lab's cluster; the control plane may still be booting.
set -euo pipefail

log() { echo "[$(date +%T)] $*"; }

apt-get install -y kubelet kubeadm

joined=no
for attempt in 1 2 3 4 5 6; do
  if kubeadm join --config /etc/kubernetes/join.yaml; then
    log "joined at try $attempt"
    joined=yes
    break
  fi
  log "try $attempt failed"
  sleep 20
done

if [ "$joined" != yes ]; then
  log "could not join"
  exit 1
fi
log "done"
