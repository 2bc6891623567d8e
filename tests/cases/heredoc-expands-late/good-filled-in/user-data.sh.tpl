#!/bin/bash
set -euo pipefail
MOUNT=$${MOUNT:-/mnt/shared}
cat > /usr/local/bin/mount-shared <<EOF2
#!/bin/sh
set -e
mkdir -p $MOUNT
mount -t efs -o tls ${file_system_id}:/ $MOUNT
EOF2
chmod +x /usr/local/bin/mount-shared

/etc/eks/bootstrap.sh gpu-dev
