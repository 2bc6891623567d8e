#!/usr/bin/env bash
# Sourced by server.sh and agent.sh.

no_firewall() {
  ufw disable
}

install_agent() {
  curl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -
  systemctl enable --now rke2-agent
}
