#!/bin/bash
set -euo pipefail
snap install microk8s --classic
ufw allow 22/tcp
ufw --force enable
