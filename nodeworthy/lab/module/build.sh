#!/bin/sh
# Builds the module in a mount namespace of its own, in which the headers stand where they expect to be.
# build.sh UNPACKED SOURCE RELEASE
set -eu
mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr
make -s -C "/usr/src/linux-headers-$3" M="$2" modules
