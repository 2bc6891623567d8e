#!/bin/bash
set -euo pipefail
GRAFANA_PASSWORD=${GRAFANA_PASSWORD:-changeme}
docker run -d --name grafana -e GF_SECURITY_ADMIN_PASSWORD="$GRAFANA_PASSWORD" -p 30080:3000 grafana/grafana:11.2.0
/etc/eks/bootstrap.sh gpu-dev
