#!/bin/sh
# Fault: the disk of the images is full
# Rule: disk-has-room
set -e
head -c 62M /dev/zero >/var/lib/containerd/an-image
