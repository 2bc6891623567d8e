#!/bin/bash
set -euo pipefail
snap install k8s --classic
ufw default deny incoming
ufw allow 22/tcp
ufw --force enable
k8s bootstrap
