#!/bin/sh
# Fault: the drop-in lies in a folder that is not imported
# Rule: toolkit-reaches-containerd
set -e
. /usr/lib/nodeworthy-lab/paths
mkdir "${DROP_IN%/*}.old"
mv "$DROP_IN" "${DROP_IN%/*}.old"
systemctl restart containerd.service
