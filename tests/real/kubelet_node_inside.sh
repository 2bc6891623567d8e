#!/bin/sh
# The first process of the node: makes its system, and starts containerd and kubelet in it.
set -eu
name=$1 folder=$2 config=$4
shift 4
hostname "$name"
exec 3>"$folder/containerd.log" 4>"$folder/kubelet.log"

# What is mounted on this machine is of no node; what is on its root is there.
root=$folder/root
mkdir "$folder/upper" "$folder/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
for each in /run /tmp /var/log /var/lib/k8s-containerd /var/lib/kubelet /etc/cni /etc/containerd /etc/kubernetes; do
    mkdir -p "$root$each"
    mount -t tmpfs tmpfs "$root$each"
done
mkdir -p "$root/opt/node/bin" "$root/run/old"
mount --bind "$folder/bin" "$root/opt/node/bin"
cp -r "$folder/files/." "$root/"
pivot_root "$root" "$root/run/old"
cd /

# The kernel's settings are everybody's: kubelet writes its own into files that look like them.
for each in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys \
    kernel/keys/root_maxbytes; do
    mkdir -p "/run/sys/${each%/*}"
    cat "/proc/sys/$each" >"/run/sys/$each"
    mount --bind "/run/sys/$each" "/proc/sys/$each"
done
umount --lazy /run/old
mount --make-rshared /

export PATH="/opt/node/bin:$PATH"
containerd "--config=$config" >&3 2>&1 &
kubelet "$@" >&4 2>&1 &
# As any first process, it buries those that nobody else does.
while :; do
    wait
    sleep 1
done
