#!/bin/sh
# Fault: the operator's toolkit was brought to a node whose packages have one already
# Rule: one-toolkit
set -e
mkdir -p /usr/local/nvidia/toolkit
for each in /usr/bin/nvidia-ctk /usr/local/nvidia/toolkit/nvidia-container-runtime; do
    [ -e "$each" ] || printf '#!/bin/sh\n' >"$each"
    chmod 755 "$each"
done
