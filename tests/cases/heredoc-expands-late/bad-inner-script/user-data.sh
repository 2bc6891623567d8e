#!/bin/bash
set -euo pipefail

cat > /usr/local/bin/gpu-health <<EOF2
#!/bin/bash
# Usage: gpu-health [seconds]
interval=$1
while true; do
  count=$(ls -d /dev/nvidia[0-9]* | wc -l)
  if [ "$count" -lt 8 ]; then
    logger -t gpu-health "only $count GPUs"
  fi
  sleep "${interval:-30}"
done
EOF2
chmod +x /usr/local/bin/gpu-health

/etc/eks/bootstrap.sh gpu-dev
