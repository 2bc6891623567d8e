#!/bin/sh
# Prints the first Python that is new enough: $PYTHON if it is set, else what stands on PATH.
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$python"
        exit 0
    fi
done
echo "Python 3.11 or newer is needed, and none is on PATH (PYTHON=/path/to/python make … names one)" >&2
exit 1
