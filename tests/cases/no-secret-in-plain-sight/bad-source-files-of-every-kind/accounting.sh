#!/bin/bash
set -euo pipefail
dnf -y install mariadb-server slurm-slurmdbd
mysql -u root <<SQL
CREATE USER 'slurm'@'localhost' IDENTIFIED BY 'sieben-Linden-3';
GRANT ALL ON slurm_acct_db.* TO 'slurm'@'localhost';
SQL
