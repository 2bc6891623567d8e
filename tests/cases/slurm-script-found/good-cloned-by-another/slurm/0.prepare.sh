#!/usr/bin/env bash
set -euo pipefail
python3 -m venv ./env
git clone https://github.com/example-lab/pretrainer.git
./env/bin/pip install -r pretrainer/requirements.txt
