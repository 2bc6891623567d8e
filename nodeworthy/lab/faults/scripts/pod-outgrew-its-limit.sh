#!/bin/sh
# Harmless: a container outgrew its own memory limit, and was killed
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[  611.200412] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=kubepods-pod1.slice,mems_allowed=0,oom_memcg=/kubepods.slice/kubepods-pod1.slice,task_memcg=/kubepods.slice/kubepods-pod1.slice/c1,task=python3,pid=9121,uid=0
[  611.200499] Memory cgroup out of memory: Killed process 9121 (python3) total-vm:8101232kB, anon-rss:4098220kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:420kB oom_score_adj:993
END
