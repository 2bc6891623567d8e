#!/bin/sh
# kubelet_node.sh NAME FOLDER CGROUP CONFIG [FLAGS]: a node in namespaces of its own, with containerd of this CONFIG and
# kubelet of these FLAGS, until standard input ends, which it does however its maker ends. Its system is this machine's,
# and what is written to it goes to FOLDER.
set -u
folder=$2 cgroup=$3
cgroups=$(awk '$3 ~ /^cgroup/ { print $2 }' /proc/self/mounts)

for each in $cgroups; do
    mkdir "$each/$cgroup"
done
exec 3<&0
setpriv --pdeathsig KILL unshare --mount --uts --ipc --pid --fork --kill-child --propagation private \
    sh "${0%/*}/kubelet_node_inside.sh" "$@" </dev/null 3<&- &
node=$!
{
    read -r _ <&3
    kill -KILL $node
} &
wait $node
kill $! 2>/dev/null
# Who was killed leaves his cgroup a moment later.
for each in $cgroups; do
    tries=200
    while [ -d "$each/$cgroup" ] && [ $((tries -= 1)) -gt 0 ]; do
        find "$each/$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.05
    done
done
rm -rf "$folder"
