# Everyone may read the GPU's performance counters. The module takes this when it is loaded, and never again.
allow_profiling() {
    mkdir -p /etc/modprobe.d
    echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
}
