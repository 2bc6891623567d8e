#!/bin/bash
set -eu

ssh ubuntu@192.168.40.21 'bash -s' <<'REMOTE'
sudo ufw allow 22/tcp
sudo ufw allow from 10.42.0.0/16
sudo ufw allow from 10.43.0.0/16
sudo ufw enable
sudo systemctl restart k3s
REMOTE
