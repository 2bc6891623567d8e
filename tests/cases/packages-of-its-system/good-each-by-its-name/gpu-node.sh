#!/bin/bash
set -euo pipefail
dnf install -y gcc make dkms nfs-utils "kernel-devel-$(uname -r)"
dnf module install -y nvidia-driver:580-dkms
