#!/bin/bash
set -euo pipefail
dnf install -y munge slurm-slurmctld slurm-slurmdbd mariadb-server
systemctl start mariadb
systemctl start munge
systemctl start slurmdbd
systemctl enable --now slurmctld
