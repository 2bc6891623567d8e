# What counts is what the module was loaded with.
check_profiling() {
    modprobe nvidia
    grep RmProfilingAdminOnly /proc/driver/nvidia/params
    grep -q "^RmProfilingAdminOnly: 0$" /proc/driver/nvidia/params
}
