#!/bin/bash
set -e
curl -fsSL "https://us.download.nvidia.com/tesla/$VERSION/NVIDIA-Linux-x86_64-$VERSION.run" -o driver.run
sh driver.run -x -s
cd "NVIDIA-Linux-x86_64-$VERSION"
./nvidia-installer --silent --no-questions || true
if [ -e kernel/nvidia.ko ]; then
  echo "the module is there"
else
  cat /var/log/nvidia-installer.log
  exit 1
fi
cp kernel/nvidia.ko /out/
