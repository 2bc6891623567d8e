# The rest of what a node says of itself: the second half of reading.sh, whose functions it uses. Each command has a
# deadline of its own, so that one that hangs costs seconds and not the host.
# shellcheck disable=SC2086 # $brief is a command and its argument, or nothing

brief=${limit:+timeout 5}

units() {
    $brief systemctl show --no-pager \
        --property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,NRestarts,WantedBy,RequiredBy \
        --property=TriggeredBy,UpheldBy,BoundBy "$@"
}

unit_of() { sed -n 's|^[0-9]*:[^:]*:.*/\([^/]*\.service\).*|\1|p' "$1/cgroup" 2>/dev/null | tail -n 1; }

# The units in which kubelet runs here, whatever they are called.
of_kubelets() {
    # shellcheck disable=SC2013 # paths in /proc have no blanks
    for each in $(grep -lE '(^|/)(kubelet|kubelite|k3s)' /proc/[0-9]*/cmdline 2>/dev/null); do
        read -r comm 2>/dev/null <"${each%/cmdline}/comm" || continue
        first=$(arguments "${each%/cmdline}" 2>/dev/null | head -n 1)
        for called in "$comm" "${first##*/}"; do
            case $called in
            kubelet | kubelite | k3s | k3s-agent | k3s-server) unit_of "${each%/cmdline}" ;;
            esac
        done
    done | sort -u
}

if command -v systemctl >/dev/null 2>&1; then
    # shellcheck disable=SC2046,SC2086,SC2154 # names of units have no blanks; reading.sh has set them
    part starts units $starting $(of_kubelets)
    # What a boot starts, as systemd counts it: a unit may be enabled for a target that no boot reaches.
    part "reached at boot" $brief systemctl list-dependencies --plain --no-pager default.target
else
    part starts command -v systemctl
fi

# When the units of Amazon's nodeadm ran that write containerd's config, how long ago the file was changed, and what may
# change it so at every boot.
nodeadm_times() {
    read -r up _ </proc/uptime
    echo "uptime $up"
    # shellcheck disable=SC2154 # reading.sh has set it
    [ -e "$default" ] && echo "changed $(($(date +%s) - $(stat -c %Y "$default")))"
    set -- /etc/eks/nodeadm.d/*
    [ -e "$1" ] || shift
    echo "drop-ins $#"
    grep -lsF containerd /var/lib/cloud/scripts/per-boot/* /var/lib/cloud/instance/boothooks/* /etc/rc.local |
        sed 's/^/again /'
    grep -lsF "$default" /etc/systemd/system/*.service | sed 's/^/again /'
    grep -lsE '(scripts-user|runcmd).*always' /var/lib/cloud/instance/user-data.txt | sed 's/^/again /'
    return 0
}

for each in /etc/systemd/system /usr/lib/systemd/system; do
    [ -e "$each/nodeadm-config.service" ] || continue
    part nodeadm $brief systemctl show --no-pager \
        --property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,WantedBy,RequiredBy \
        --property=ExecMainStartTimestampMonotonic,ExecMainExitTimestampMonotonic \
        nodeadm-config.service nodeadm-run.service
    part "nodeadm times" nodeadm_times
    break
done

# What modprobe is told of NVIDIA's modules, with the file that tells it.
options() {
    for each in /etc /run /usr/local/lib /usr/lib /lib; do
        grep -HsE "^[[:space:]]*options[[:space:]]+nvidia" "$each"/modprobe.d/*.conf
    done
    sed -n 's|.*\(nvidia[a-z_-]*\.NVreg_[A-Za-z]*=[^ ]*\).*|/proc/cmdline:\1|p' /proc/cmdline
    return 0
}

modules() {
    grep -E '^nvidia' /proc/modules
    [ -r /proc/modules ]
}

# NVIDIA's, Amazon's and Mellanox's devices on the bus: address, vendor, device, class, and the driver that has it.
bus() {
    [ -d /sys/bus/pci/devices ] || return 1
    for each in /sys/bus/pci/devices/*; do
        read -r vendor 2>/dev/null <"$each/vendor" || continue
        case $vendor in
        0x10de | 0x1d0f | 0x15b3) ;;
        *) continue ;;
        esac
        read -r device 2>/dev/null <"$each/device"
        read -r class 2>/dev/null <"$each/class"
        driver=$(readlink "$each/driver")
        echo "${each##*/} $vendor $device $class ${driver##*/}"
    done
    return 0
}

# nvidia-smi would load a module that is not loaded; this does not.
driven() {
    [ -d /proc/driver/nvidia/gpus ] || return 1
    for each in /proc/driver/nvidia/gpus/*; do
        [ -e "$each" ] && echo "${each##*/}"
    done
    return 0
}

rdma() {
    for each in /sys/class/infiniband/*; do
        [ -e "$each/device/vendor" ] || continue
        read -r vendor <"$each/device/vendor"
        echo "${each##*/} $vendor"
    done
    return 0
}

# Whether something has the GPUs open: then they are initialised, and asking the driver of them initialises none.
held_open() {
    awk '$1 == "nvidia" { users = gsub(/,/, ",", $4); held = $3 > users } END { exit !held }' /proc/modules 2>/dev/null ||
        grep -qsxE 'nvidia-persiste.*|nv-fabricmanag.*' /proc/[0-9]*/comm
}

# Where its answer is, for as long as it is read.
kept=

# Asks the driver, into that file, and leaves behind what hangs in it: that can't be killed.
ask_smi() {
    $within "$smi" "$@" >"$kept" 2>&1 &
    asked=$!
    tenths=0
    while read -r _ _ state _ 2>/dev/null <"/proc/$asked/stat" && [ "$state" != Z ]; do
        tenths=$((tenths + 1))
        [ $tenths -lt 150 ] || break
        sleep 0.1
    done
    if [ $tenths -ge 150 ]; then
        kill -9 "$asked"
        echo "nvidia-smi $1 gave no answer in 15 s" >&2
        return 124
    fi
    wait "$asked"
}

# What the driver itself says of its GPUs: one that is lost stays on the bus and in /proc. Asked once, and only of what
# is initialised.
driver_says() {
    smi=$(command -v nvidia-smi)
    within=
    if [ -z "$smi" ] && [ -x /run/nvidia/driver/usr/bin/nvidia-smi ]; then
        smi=nvidia-smi
        within='chroot /run/nvidia/driver'
    fi
    if [ -z "$smi" ]; then
        echo "unasked: there is no nvidia-smi here"
        return 0
    fi
    if ! held_open; then
        echo "unasked: nothing has the GPUs open, and asking would initialise them"
        return 0
    fi
    kept=$(mktemp -p /dev/shm 2>/dev/null || mktemp) || return 1
    ask_smi -q
    code=$?
    # Of hundreds of lines a GPU those that say whether it is there, and well.
    awk '
        /^    [^ ]/ { part = $0; sub(/^ +/, "", part); sub(/ *:.*/, "", part) }
        /^        [^ ]/ { block = $0; sub(/^ +/, "", block); sub(/ *:.*/, "", block) }
        /^[^ ]/ { part = "" }
        /^GPU |^Attached GPUs|Unable to determine|GPU is lost|No devices|Failed to initialize|communicate with|infoROM is/ { print; next }
        part ~ /^(Product Name|Persistence Mode|Remapped Rows|GPU Recovery Action)$/ { print }
        part == "Fabric" && block ~ /^(Fabric|State|Status)$/ { print; next }
        part == "Fabric" && /^    Fabric/ { print }
        part == "ECC Errors" && (/^    ECC/ || block == "Volatile") { print }
    ' "$kept"
    return "$code"
}

# Its NVLinks, where it has answered.
links_up() {
    ask_smi nvlink --status
    code=$?
    grep -E '^GPU [0-9]+:|Link [0-9]+:' "$kept"
    return "$code"
}

if [ -e /proc/driver/nvidia/version ]; then
    part "nvidia-smi" driver_says
    # shellcheck disable=SC2154 # part has set it
    [ "$code" != 0 ] || [ -z "$kept" ] || part "nvlink" links_up
    [ -z "$kept" ] || rm -f "$kept"
fi
part params cat /proc/driver/nvidia/params
part driver cat /proc/driver/nvidia/version
part modules modules
part options options
# For which kernels NVIDIA's module lies on the disk, whether the firmware lets in only what is signed, what DKMS says.
on_disk() {
    running=$(uname -r)
    echo "kernel $running"
    for each in /lib/modules/*; do
        [ -d "$each" ] || continue
        found=$($brief find "$each" \( -name 'nvidia.ko*' -o -name 'nvidia-current.ko*' \) | head -n 1)
        [ -z "$found" ] || echo "module ${each##*/} $found"
    done
    for each in /sys/firmware/efi/efivars/SecureBoot-*; do
        [ -r "$each" ] && echo "secure-boot $(od -An -t u1 -j 4 -N 1 "$each" | tr -d ' ')"
    done
    command -v dkms >/dev/null 2>&1 && $brief dkms status 2>/dev/null | grep -i nvidia | sed 's/^/dkms /'
    return 0
}

part "on disk" on_disk
part bus bus
part driven driven
part rdma rdma
command -v systemctl >/dev/null 2>&1 && part fabric units nvidia-fabricmanager.service
# For how long it has been at it, in seconds.
fabric_age() {
    since=$($brief systemctl show --property=ActiveEnterTimestampMonotonic --value nvidia-fabricmanager.service) || return
    read -r up _ </proc/uptime
    [ "${since:-0}" = 0 ] || echo "$((${up%.*} - since / 1000000))"
}

command -v systemctl >/dev/null 2>&1 && part "fabric age" fabric_age
# The operator's driver container brings one that is no unit of this systemd.
elsewhere() {
    # shellcheck disable=SC2013 # paths in /proc have no blanks
    for each in $(grep -lsx 'nv-fabricmanag.*' /proc/[0-9]*/comm); do
        sed -n 's|^[0-9]*:[^:]*:\(.*kubepods.*\)|\1|p' "${each%/comm}/cgroup"
    done | sort -u
}

part "fabric elsewhere" elsewhere
command -v nv-fabricmanager >/dev/null 2>&1 && part "fabric version" $brief nv-fabricmanager --version

# Where cloud-init says how its steps ended: its own words, and the shell's, which name the line.
cloud_log() {
    grep -hE "Failed running|Failed to (run|start)|Runparts:" /var/log/cloud-init.log | tail -n 20
    grep -hE "/(part-[0-9]+|runcmd|user-data[^ :]*|scripts/[^ :]+): (line )?[0-9]+: " /var/log/cloud-init-output.log | tail -n 20
    return 0
}

# Why each unit that failed did.
failed() {
    names=$($brief systemctl list-units --state=failed --plain --no-legend --no-pager) || return
    # shellcheck disable=SC2046 # names of units have no blanks
    set -- $(printf '%s\n' "$names" | awk '{ print $1 }')
    [ $# = 0 ] || units "$@"
}

system() {
    state=$($brief systemctl is-system-running)
    code=$?
    printf '%s\n' "$state"
    return "$code"
}

# What a boot that goes on is at: the step that cloud-init began last, and what systemd starts.
step() {
    sed -n "s|.*Running command \['\(/[^']*\)'\].*|\1|p; s|.*Running module \([A-Za-z0-9_-]*\) .*|\1|p" \
        /var/log/cloud-init.log 2>/dev/null | tail -n 1
    [ -z "$state" ] || $brief systemctl list-jobs --plain --no-legend --no-pager | awk '$4 == "running" { print $2 }'
    return 0
}

part cloud cat /run/cloud-init/status.json
part "cloud log" cloud_log
state=
command -v systemctl >/dev/null 2>&1 && part system system
case $state in
starting | initializing) part step step ;;
*) [ -e /var/lib/cloud/instance/boot-finished ] || [ ! -e /run/cloud-init/status.json ] || part step step ;;
esac
command -v systemctl >/dev/null 2>&1 && part failed failed

part clock $brief timedatectl show
command -v chronyc >/dev/null 2>&1 && part chrony $brief chronyc -n tracking

# Those folders of these that are there, and the disks that they are on.
room() {
    how=$1
    set --
    for each in / /var/lib/containerd /var/lib/kubelet /var/log /var/lib/rancher /var/lib/k8s-containerd /var/snap; do
        [ -d "$each" ] && set -- "$@" "$each"
    done
    $brief df -P "$how" -- "$@"
}

part room room -k
part inodes room -i

# Only the lines that say something is wrong: the rest is nobody's business, and long. What has fallen out of the
# kernel's own buffer, which begins with its version, the journal may still have. What ufw drops is told apart, so that
# a world that knocks all day pushes nothing else out.
kernel_log() {
    said=$($brief dmesg 2>&1)
    case $said in
    *"Linux version "*) ;;
    *)
        # Whoever may not see it is given no error, but nothing, or only a hint.
        journal=$($brief journalctl -k -b -q -o short-monotonic --no-pager)
        case $journal in
        *" kernel: "*) said=$journal ;;
        *)
            refused=$(printf '%s\n' "$said" | sed -n 's/^.*dmesg: //p' | tail -n 1)
            if [ -n "$refused" ] || [ -z "$said" ]; then
                echo "${refused:+dmesg: $refused; }journalctl -k shows nothing of it to user $(id -un)" >&2
                return 1
            fi
            ;;
        esac
        ;;
    esac
    printf '%s\n' "$said" | grep -E "NVRM: Xid|SXid|oom-kill:|Out of memory: Kill" | tail -n 300
    printf '%s\n' "$said" | grep -E "NVRM: |nvidia.*(version magic|disagrees|taint|probe)|non-GPLONLY|symbol version for nvidia_|version of symbol nvidia_|nouveau|Lockdown: |Loading of .*module|AER: " |
        grep -vE "NVRM: Xid|SXid" | tail -n 60
    printf '%s\n' "$said" | grep -F "UFW BLOCK" | grep -v " OUT= " | tail -n 200
    printf '%s\n' "$said" | grep -F "UFW BLOCK" | grep " OUT= " | tail -n 100
    return 0
}

part "kernel log" kernel_log

# Mounts of filesystems that live across the network, pods' own aside, and whether each answers. Two that don't are
# enough: of the others nobody is asked.
mounts() {
    [ -r /proc/self/mounts ] || return
    silent=0
    awk '$2 !~ /\/pods\// && $3 ~ /^(nfs4?|efs|lustre|ceph|cifs|beegfs|wekafs|gpfs|glusterfs|fuse\..*)$/ { print $1, $2, $3 }' /proc/self/mounts |
        while read -r source mount type; do
            answer=answers
            if [ $silent -ge 2 ]; then
                answer=unasked
            elif ! $brief stat -f "$mount" >/dev/null 2>&1; then
                answer=silent
                silent=$((silent + 1))
            fi
            echo "$source $mount $type $answer"
        done
}

part mounts mounts
part fstab grep -v "^[[:space:]]*\(#\|$\)" /etc/fstab

# What containerd is told of registries, and whether the names that it is told have an address here.
named=
# shellcheck disable=SC2154 # reading.sh has set it
for each in $(printf '%s\n' $trusting | sort -u); do
    for file in "$each"/*/hosts.toml; do
        [ -e "$file" ] || continue
        whole "$file"
        host=${file%/hosts.toml}
        named="$named ${host##*/} $(tr '"' ' ' <"$file" | sed -n 's|.*://\([^ /]*\).*|\1|p')"
    done
done

# What containerd's own files are made of, and what Docker goes by. Docker is asked itself only where it runs: asking
# would start it.
# shellcheck disable=SC2154 # reading.sh has set it
for each in $registries /etc/docker/daemon.json; do
    [ -e "$each" ] && whole "$each"
done

dockers() {
    # shellcheck disable=SC2154 # reading.sh has set it
    [ -n "$docker" ] || return 0
    $brief docker info --format '{{json .RegistryConfig}}'
}

part docker dockers

addresses() {
    # shellcheck disable=SC2046 # names have no blanks
    for each in $(printf '%s\n' $named | sed 's/:[0-9]*$//' | sort -u | head -n 40); do
        [ "$each" = _default ] && continue
        found=$($brief getent ahosts "$each")
        case $? in
        0) echo "$each ${found%% *}" ;;
        2) echo "$each -" ;;
        *) echo "$each ?" ;;
        esac
    done
}

part names addresses
