#!/bin/bash
set -euo pipefail
dnf install -y munge slurm-slurmd
cp /shared/munge.key /etc/munge/munge.key
systemctl enable --now munge
