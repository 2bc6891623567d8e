#!/bin/bash
set -euo pipefail
ufw default deny incoming
ufw allow 22/tcp
ufw --force enable
