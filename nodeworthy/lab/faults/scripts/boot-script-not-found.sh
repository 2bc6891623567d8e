#!/bin/sh
# Fault: the boot script calls a program that is not there
# Rule: boot-finished
# When: boot
set -e
nvidia-smi-check --all
