#!/bin/bash
set -euo pipefail
apt-get install -y nvidia-driver-570-server
