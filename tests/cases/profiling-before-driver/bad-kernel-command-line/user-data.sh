#!/bin/bash
set -euo pipefail
dnf install -y nvidia-driver
grubby --update-kernel=ALL --args="nvidia.NVreg_RestrictProfilingToAdminUsers=0 rd.driver.blacklist=nouveau"
nvidia-smi
