#!/bin/sh
# Fault: the kernel has killed kubelet, because the machine had no memory left
# Rule: kernel-log-clean
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[ 1044.902113] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/kubelet.service,task=kubelet,pid=812,uid=0
[ 1044.902160] Out of memory: Killed process 812 (kubelet) total-vm:2101232kB, anon-rss:98220kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:420kB oom_score_adj:-999
END
