#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io | sh -
