#!/bin/bash
set -e
url="https://10.0.0.20:6443"
sed -i "s|^K3S_URL=.*|K3S_URL=$url|" /etc/systemd/system/k3s-agent.service.env
sed -i "s|K3S_URL=.*|K3S_URL=$url|" /etc/systemd/system/k3s-agent.service
systemctl daemon-reload
systemctl restart k3s-agent
