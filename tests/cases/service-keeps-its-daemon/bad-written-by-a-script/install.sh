#!/bin/bash
set -e
PREFIX=/opt/slurm
cat > /etc/systemd/system/slurmctld.service <<EOF
[Unit]
Description=Slurm controller
After=network.target munge.service

[Service]
ExecStart=${PREFIX}/sbin/slurmctld
Restart=on-failure

[Install]
WantedBy=multi-user.target
EOF
systemctl enable --now slurmctld
