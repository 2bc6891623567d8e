# Whatever the steps say goes to the console and to a file, each line with the time at which it was said.
LOG=/var/log/nodeworthy-boot.log
STEP="the start"

step() {
    STEP=$1
    echo "== $STEP"
}

failed() {
    echo "FAILED in '$STEP', line $2, status $1: $3"
}

stamped() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        printf '%(%Y-%m-%dT%H:%M:%S%z)T %s\n' -1 "$line"
    done | tee -a "$LOG"
}
