#!/bin/bash
set -e
curl -sfL https://get.k3s.io -o /tmp/k3s.sh
sh /tmp/k3s.sh server
cp /var/lib/rancher/k3s/server/node-token "$HOME/node-token"
chmod a+r "$HOME/node-token"
chmod 644 /etc/rancher/k3s/k3s.yaml
