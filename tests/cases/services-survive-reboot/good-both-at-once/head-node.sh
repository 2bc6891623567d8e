#!/bin/bash
set -euo pipefail
dnf install -y munge slurm-slurmctld mariadb-server nfs-utils
systemctl enable mysqld
systemctl start mariadb
systemctl enable --now munge slurmctld
systemctl enable nfs-server
systemctl restart nfs-server
