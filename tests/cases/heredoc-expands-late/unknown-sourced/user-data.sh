#!/bin/bash
set -euo pipefail
source /etc/node/environment

cat > /usr/local/bin/register <<EOF2
#!/bin/bash
exec /opt/agent/bin/agent register --pool "$POOL_NAME" --endpoint "$REGISTRY_ENDPOINT"
EOF2
chmod +x /usr/local/bin/register

/etc/eks/bootstrap.sh gpu-dev
