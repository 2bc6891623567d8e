#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-headless-580-server nvidia-utils-580-server unattended-upgrades
apt-mark hold nvidia-headless-580-server nvidia-utils-580-server
cat > /etc/apt/apt.conf.d/20auto-upgrades <<'EOF'
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
EOF
