#!/bin/sh
# Fault: the server of the shared storage does not answer any more
# Rule: shared-storage-mounted
set -e
systemctl kill --signal=STOP shared-storage.service
