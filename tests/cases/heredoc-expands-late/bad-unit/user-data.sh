#!/bin/bash
set -euo pipefail
EXPORTER_PORT=9400

cat <<EOF2 | sudo tee /etc/systemd/system/node-agent.service
[Unit]
Description=agent of the node
After=network-online.target

[Service]
EnvironmentFile=-/etc/default/node-agent
ExecStart=/usr/local/bin/node-agent --port ${EXPORTER_PORT} $AGENT_OPTS
ExecReload=/bin/kill -HUP $MAINPID
Restart=always

[Install]
WantedBy=multi-user.target
EOF2
systemctl daemon-reload
systemctl enable --now node-agent

/etc/eks/bootstrap.sh gpu-dev
