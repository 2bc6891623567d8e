#!/bin/bash
set -euo pipefail
MAIL_PASSWORD=not-ours-to-judge-1
rclone sync /srv/data remote:data || curl -fsS "https://api.telegram.org/bot$TELEGRAM_TOKEN/sendMessage" -d text=failed
echo "- password: unavailable — run make grafana-password"
