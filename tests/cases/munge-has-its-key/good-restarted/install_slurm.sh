#!/bin/bash
set -euo pipefail
apt-get install -y munge slurmd
cp /shared/munge.key /etc/munge/munge.key
chown munge:munge /etc/munge/munge.key
systemctl enable munge slurmd
systemctl restart munge slurmd
