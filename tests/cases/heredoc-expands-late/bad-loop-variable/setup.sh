#!/bin/bash
set -euo pipefail
MOUNT=/mnt/scratch
write_cleanup() {
  tee /opt/cleanup.sh > /dev/null <<-SCRIPT
	#!/bin/sh
	for dir in ${MOUNT}/tmp ${MOUNT}/cache; do
	  find "$dir" -mtime +7 -delete
	done
	SCRIPT
  chmod 0755 /opt/cleanup.sh
}
write_cleanup

/etc/eks/bootstrap.sh gpu-dev
