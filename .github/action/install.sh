#!/usr/bin/env bash
# Installs this version of nodeworthy beside everything else: nothing of the project's environment is changed, nothing
# that lies in the checkout is run (Python's -I: a venv.py or a pip.py there is no module), and what is installed is
# what locks/ names, by its hashes. Only what the Pulumi program asks for comes as the project says.
set -euo pipefail

kept=$RUNNER_TEMP/nodeworthy
project=$(pwd)
interpreter=$(command -v "$PYTHON")
case $interpreter in
/*) ;;
*) interpreter=$project/$interpreter ;;
esac
lock=check
if [ -n "$STACK" ]; then
    lock=preview
fi

install() {
    local folder=$1
    shift
    "$folder/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps "$@"
}

mkdir -p "$kept/wheel"
cd "$kept"
if [ ! -x venv/bin/nodeworthy ]; then
    "$interpreter" -I -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nodeworthy needs Python 3.11 or newer")'
    "$interpreter" -I -m venv "$kept/tools"
    "$interpreter" -I -m venv "$kept/venv"
    install tools --require-hashes --requirement "$ACTION_PATH/locks/build.txt"
    tools/bin/python -I -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation \
        --wheel-dir "$kept/wheel" "$ACTION_PATH"
fi
install venv --require-hashes --requirement "$ACTION_PATH/locks/$lock.txt"
install venv --no-index "$kept/wheel/"nodeworthy-*.whl
if [ -n "$STACK" ] && [ -n "$REQUIREMENTS" ]; then
    cd "$project"
    "$kept/venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --requirement "$REQUIREMENTS"
fi
