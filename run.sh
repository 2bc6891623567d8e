#!/bin/sh
# run.sh TREE args
export PYTHONPATH=$1; shift; exec /work/gate/.venv/bin/python -m nodeworthy "$@"
