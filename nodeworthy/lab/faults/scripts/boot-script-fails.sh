#!/bin/sh
# Fault: a command of the boot script fails, and the script ends there
# Rule: boot-finished
# When: boot
set -e
dnf-3 install --assumeyes no-such-package
