#!/bin/sh
# Harmless: ufw has dropped what the world sent to a closed port of the node
set -e
cat >>/run/nodeworthy-lab/hardware/kernel-log <<'END'
[   88.109221] [UFW BLOCK] IN=eno1 OUT= MAC=8e:1f SRC=203.0.113.9 DST=192.0.2.7 LEN=60 TOS=0x00 PREC=0x00 TTL=51 ID=1001 DF PROTO=TCP SPT=51432 DPT=23 WINDOW=64240 RES=0x00 SYN URGP=0
END
