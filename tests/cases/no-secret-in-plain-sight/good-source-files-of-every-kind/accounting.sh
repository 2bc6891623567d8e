#!/bin/bash
set -euo pipefail
if ! grep -q "SLURM_DB_PASSWORD=" .env; then
  echo "Usage: $0 --password mine-and-yours1" >&2
  exit 1
fi
mysql -u root <<SQL
CREATE USER 'slurm'@'localhost' IDENTIFIED BY '$SLURM_DB_PASSWORD';
SQL
