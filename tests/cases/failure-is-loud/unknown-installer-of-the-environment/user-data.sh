#!/bin/bash
# Which package manager it is, the image's own profile says.
. /etc/profile.d/site.sh

$SITE_PACKAGES install nvidia-driver-570-server
modprobe nvidia
