#!/usr/bin/env bash
# Installs this version of nodeworthy beside everything else: nothing of the project's environment is changed.
set -euo pipefail

kept=$RUNNER_TEMP/nodeworthy
if [ ! -x "$kept/venv/bin/nodeworthy" ]; then
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nodeworthy needs Python 3.11 or newer")'
    "$PYTHON" -m venv "$kept/venv"
fi
wanted=("$ACTION_PATH${STACK:+[pulumi]}")
if [ -n "$REQUIREMENTS" ]; then
    wanted+=(--requirement "$REQUIREMENTS")
fi
"$kept/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${wanted[@]}"
