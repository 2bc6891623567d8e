#!/bin/sh
# Fault: ufw has dropped what a pod asked a name server
# Rule: kernel-log-clean
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[  301.551871] [UFW BLOCK] IN=lxc4f39491e6165 OUT=eno1 MAC=8e:1f SRC=10.0.1.88 DST=10.100.0.10 LEN=74 TOS=0x00 PREC=0x00 TTL=63 ID=49200 DF PROTO=UDP SPT=41923 DPT=53 LEN=54
END
