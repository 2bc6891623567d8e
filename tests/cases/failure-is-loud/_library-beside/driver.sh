#!/bin/bash
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "${here}/lib/common.sh"

announce "installing the driver"
apt-get install -y nvidia-driver-570-server
cp 99-gpu.rules /etc/udev/rules.d/
announce "done"
