#!/bin/bash
set -euo pipefail
curl -fsSL https://boot.gpu-dev.example/prepare.sh | bash
