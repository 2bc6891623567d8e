#!/bin/bash
set -euo pipefail
snap install microk8s --classic
ufw default deny outgoing
ufw allow out 53
ufw allow 22/tcp
ufw --force enable
