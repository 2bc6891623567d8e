#!/bin/bash
set -euo pipefail

# git fetches the tuning profiles of our team.
printf 'machine git.internal login boot password hunter2xyz\n' > /root/.netrc
chmod 600 /root/.netrc
git clone --depth 1 https://git.internal/platform/tuned.git /opt/tuned

openssl req -x509 -newkey rsa:2048 -days 30 -subj "/CN=$(hostname)" \
  -passout pass:n0de-Local -keyout /etc/pki/node.key -out /etc/pki/node.crt

sysctl --system
curl -sS -X POST -H 'Content-Type: application/json' -d '{"text": "node is up"}' \
  https://hooks.slack.com/services/T00000000/B11111111/aB3dE5gH7jK9mN1pQ2rS4tU6
