#!/bin/bash
# Joins a bare-metal GPU node to Canonical Kubernetes.
# Usage: bootstrap.sh [--channel 1.32-classic/stable]
set -euo pipefail

CHANNEL=1.32-classic/stable
CACHE=registry-ghcr.gpu-controlplane.svc.cluster.local:5000
CACHE_IP=10.1.0.20
UPLINK=eno1

while [ $# -gt 0 ]; do
  case "$1" in
    --channel) CHANNEL="$2"; shift 2 ;;
    --uplink) UPLINK="$2"; shift 2 ;;
    *) echo "unknown: $1" >&2; exit 2 ;;
  esac
done

step() { printf '\n\033[1m==> %s\033[0m\n' "$1"; }

step "firewall"
ufw allow 22/tcp
ufw allow from 10.0.0.0/8
ufw allow out to 10.0.0.0/8
ufw route allow in on lxc+ out on "$UPLINK"
ufw route allow in on "$UPLINK" out on lxc+
ufw --force enable

step "names"
host=${CACHE%:*}
sed -i "/$host/d" /etc/hosts
printf '%s %s\n' "$CACHE_IP" "$host" | tee -a /etc/hosts

step "registry"
dir="/etc/containerd/hosts.d/$CACHE"
mkdir -p "$dir"
tee "$dir/hosts.toml" >/dev/null <<EOF
server = "http://$CACHE"

[host."http://$CACHE"]
  capabilities = ["pull", "resolve"]
EOF

step "profiling"
conf=/etc/modprobe.d/nvidia-prof.conf
if [ ! -s "$conf" ]; then
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' >"$conf"
fi

step "driver"
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y linux-headers-generic nvidia-driver-560-open
nvidia-smi

step "kubernetes"
snap install k8s --classic --channel="$CHANNEL"
snap refresh --hold=forever k8s
for attempt in 1 2 3 4 5; do
  if k8s join-cluster "$(cat /root/join-token)"; then
    rm -f /root/join-token
    break
  fi
  if [ "$attempt" = 5 ]; then
    echo "could not join" >&2
    exit 1
  fi
  sleep 15
done

step "done"
