#!/usr/bin/env bash
# Sourced by server.sh and agent.sh.

no_firewall() {
  ufw disable
}

install_agent() {
  curl -sfL https://get.k3s.io | K3S_URL="$1" K3S_TOKEN="$2" sh -
}
