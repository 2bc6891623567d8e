#!/bin/bash
set -euo pipefail
shopt -s extglob

case "$(uname -m)" in
  x86_64) arch=amd64 ;;
  @(aarch64|arm64)) arch=arm64 ;;
esac
if [[ $arch == @(amd64|arm64) && -n ${DRIVER:-570} ]]; then
  apt-get install -y "nvidia-driver-${DRIVER:-570}-server"
fi
cat > /usr/local/bin/say <<'EOF'
echo "it's
EOF
systemctl enable --now nvidia-persistenced # it's all
