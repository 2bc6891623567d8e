#!/bin/bash
set -e
LOG=/var/log/bootstrap.log
/etc/eks/bootstrap.sh gpu-dev --use-max-pods false 2>&1 | tee -a "$LOG"
logger "bootstrap is done"
