#!/bin/sh
# Fault: the driver's libraries were replaced under the loaded module
# Rule: driver-fits
# Unknown: fabric-manager-runs
set -e
cat >/usr/bin/nvidia-smi <<'END'
#!/bin/sh
echo "Failed to initialize NVML: Driver/library version mismatch"
echo "NVML library version: 570.195"
exit 18
END
