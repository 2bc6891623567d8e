#!/bin/bash
set -euo pipefail
cat <<UNIT | tee /etc/systemd/system/model-server.service > /dev/null
[Service]
ExecStart=/usr/local/bin/model-server
Environment="PATH=$PATH"
Environment=CUDA_HOME=$CUDA_HOME

[Install]
WantedBy=multi-user.target
UNIT
systemctl enable --now model-server
