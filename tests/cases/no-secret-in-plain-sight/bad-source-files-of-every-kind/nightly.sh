#!/bin/bash
set -euo pipefail
MAIL_PASSWORD=not-ours-to-judge-1
rclone sync /srv/data remote:data || curl -fsS "https://api.telegram.org/bot6128802431:AAHq3w8Zk1Lr5Tn9Vb2Xc6Yd4Fg7Jm0Ps_e/sendMessage" -d text=failed
