#!/bin/bash
set -e
apt-get update
apt-get install -y munge libmunge-dev build-essential
cat > /etc/systemd/system/slurmd.service <<'EOF'
[Unit]
Description=Slurm's daemon on this node
After=munge.service network-online.target

[Service]
ExecStart=/opt/slurm/sbin/slurmd -D
Delegate=yes

[Install]
WantedBy=multi-user.target
EOF
systemctl daemon-reload
systemctl start slurmd
