#!/bin/bash
set -euo pipefail
curl -fsSL https://baltocdn.com/helm/signing.asc | gpg --dearmor -o /usr/share/keyrings/helm.gpg
exec "$SHELL" -l
said() { echo "$1" >&2; }
curl -sfL https://get.k3s.io | sh -
