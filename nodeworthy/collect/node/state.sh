# The rest of what a node says of itself: the second half of reading.sh, whose functions it uses. Each command has a
# deadline of its own, so that one that hangs costs seconds and not the host.

brief=${limit:+timeout 5}

units() {
    $brief systemctl show --no-pager \
        --property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,NRestarts,WantedBy,RequiredBy "$@"
}

unit_of() { sed -n 's|^[0-9]*:[^:]*:.*/\([^/]*\.service\).*|\1|p' "$1/cgroup" 2>/dev/null | tail -n 1; }

# The units in which kubelet runs here, whatever they are called.
of_kubelets() {
    for each in $(grep -lE '(^|/)(kubelet|kubelite|k3s)' /proc/[0-9]*/cmdline 2>/dev/null); do
        read -r comm 2>/dev/null <"${each%/cmdline}/comm" || continue
        case $comm in
        kubelet | kubelite | k3s | k3s-agent | k3s-server) unit_of "${each%/cmdline}" ;;
        esac
    done
}

if command -v systemctl >/dev/null 2>&1; then
    part starts units $starting $(of_kubelets)
else
    part starts command -v systemctl
fi
