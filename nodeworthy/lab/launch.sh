#!/bin/sh
# Runs as the first process of its own mount, net and PID namespaces: what it mounts and starts is gone when it is.
# launch.sh NAME FOLDER LOWER
set -eu
name=$1 folder=$2 lower=$3
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$name"
echo 0 >"/sys/fs/cgroup/$name/cgroup.procs"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
: >"$folder/mounted"
# Whoever watches the files says when.
read -r _
export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 SYSTEMD_NSPAWN_LOCK=0 SYSTEMD_NSPAWN_API_VFS_WRITABLE=network
export SYSTEMD_NSPAWN_TMPFS_TMP=0
exec systemd-nspawn --quiet --directory "$folder/root" --machine "$name" --register=no --keep-unit --boot \
    --network-namespace-path=/proc/self/ns/net --capability=all --system-call-filter="@keyring bpf" \
    --console=read-only </dev/null
