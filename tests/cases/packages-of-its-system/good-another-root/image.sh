#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y dnf nvidia-driver-580-server
dnf --installroot=/srv/images/rocky9 install -y kernel-devel slurm-slurmd
