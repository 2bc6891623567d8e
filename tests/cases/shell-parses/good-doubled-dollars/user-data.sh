#!/bin/bash
set -euo pipefail
LOG=/tmp/boot.$$.log
PORT=9400
echo "by $$, not by \$$PORT and not by $$$PORT" | tee "$LOG"
awk -v p="$PORT" 'BEGIN { print p }' # $$PORT
make -s -f - <<'EOF'
all: ; @PORT=1; echo $$PORT
EOF
cat > /etc/systemd/system/exporter.service <<EOF
[Service]
Environment=PORT=$PORT
ExecStart=/bin/sh -c 'exec dcgm-exporter -a :\$\$PORT'
EOF
apt-get install -y nvidia-driver-570-server
