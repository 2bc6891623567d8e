#!/bin/bash
set -euo pipefail
yum install -y amazon-efs-utils
sysctl -w fs.inotify.max_user_watches=524288
systemctl enable --now kubelet
