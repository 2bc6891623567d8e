#!/bin/bash -ex
# Baked image with the driver, configured at first boot
exec > /var/log/gpu-setup.log 2>&1

setup_persistence() {
    systemctl daemon-reload
    systemctl enable --now nvidia-persistenced.service
    nvidia-smi -pm 1
}

setup_profiling() {
    printf '%s\n' '# allow GPU performance counters' \
        'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvprof.conf > /dev/null
    update-initramfs -u
}

setup_limits() {
    cat <<'EOT' >> /etc/security/limits.conf
* soft memlock unlimited
* hard memlock unlimited
EOT
}

main() {
    setup_limits
    setup_persistence
    setup_profiling
}

main "$@"
