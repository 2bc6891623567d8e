#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-headless-580-server nvidia-utils-580-server unattended-upgrades
eval "$(hold_packages)" # apt-mark hold
cat > /etc/apt/apt.conf.d/20auto-upgrades <<'EOF'
APT::Periodic::Unattended-Upgrade "1";
EOF
eval "apt-mark $VERB nvidia-headless-580-server"
