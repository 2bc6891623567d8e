#!/bin/bash
# Opens the ports of the little cluster in the cellar.
set -eu

NODE=${1:-ubuntu@192.168.40.21}

ssh -o StrictHostKeyChecking=accept-new "$NODE" 'bash -s' <<'REMOTE'
sudo apt-get install -y ufw
sudo ufw allow 22/tcp comment 'ssh'
sudo ufw allow 6443/tcp comment 'API of K3s'
echo y | sudo ufw enable
sudo systemctl restart k3s
REMOTE
echo "done on $NODE"
