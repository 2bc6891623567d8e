#!/bin/bash
set -euo pipefail
dnf install -y slurm-slurmctld mariadb-server ansible-core nvidia-driver
systemctl start mariadb
ansible-playbook /opt/site/enable-services.yml
