#!/bin/bash
set -euo pipefail

# The build sets both in the environment: what stands here is no value, and none gets into the image.
curl -fsSL -H "Authorization: Bearer ${mirror_token}" "${mirror}/rke2.tar.gz" | tar -C /usr/local -xzf -
systemctl enable rke2-agent.service
