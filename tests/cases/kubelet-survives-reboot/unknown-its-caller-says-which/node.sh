#!/usr/bin/env bash
set -e

install_node() {
  export INSTALL_K3S_SKIP_ENABLE=true
  curl -sfL https://get.k3s.io -o /tmp/k3s.sh
  sh /tmp/k3s.sh
}

case $1 in
  server)
    export INSTALL_K3S_EXEC=server
    install_node
    systemctl enable --now k3s
    ;;
  try)
    export INSTALL_K3S_EXEC=server
    install_node
    systemctl start k3s
    ;;
esac
