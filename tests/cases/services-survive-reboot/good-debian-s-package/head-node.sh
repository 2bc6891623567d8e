#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y munge slurmctld mariadb-server nvidia-driver-580-server
systemctl start mariadb
systemctl restart munge
