# What a node says of itself. Reads and changes nothing; everything that decides what is read next is decided here,
# so that one round trip is enough. Run as:
# sh -c SCRIPT nodeworthy NONCE default=CONFIG registries=FILE... trace=PATH... start=UNIT... SOCKET... UNIT...
# What follows, state.sh and filters.sh, reads the rest.
# Each part is framed by lines with the nonce, on both streams, so that no content can be mistaken for a frame.

nonce=$1
shift
exec </dev/null
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin
LC_ALL=C
export PATH LC_ALL

limit=
timeout 5 true 2>/dev/null && limit='timeout 10'
default=
registries=
sockets=
units=
starting=
traces=
trusting=
docker=
for each; do
    case $each in
    default=*) default=${each#default=} ;;
    registries=*) registries="$registries ${each#registries=}" ;;
    trace=*) traces="$traces ${each#trace=}" ;;
    start=*) starting="$starting ${each#start=}" ;;
    */*) sockets="$sockets $each" ;;
    *) units="$units $each" ;;
    esac
done

part() {
    name=$1
    shift
    read -r since _ </proc/uptime
    printf '%s begin %s %s\n' "$nonce" "$since" "$name"
    printf '%s begin %s %s\n' "$nonce" "$since" "$name" >&2
    "$@"
    code=$?
    read -r until _ </proc/uptime
    printf '\n%s end %s %s\n' "$nonce" "$until" "$code"
    printf '\n%s end %s %s\n' "$nonce" "$until" "$code" >&2
}

arguments() { tr '\0' '\n' <"$1/cmdline"; }

# The last value of a flag, given as `--flag=value` or `--flag value`; the flag's other spelling is $3.
flag() {
    arguments "$1" 2>/dev/null | awk -v long="$2" -v short="${3:-$2}" '
        taken { value = $0; taken = 0; next }
        $0 == long || $0 == short { taken = 1; next }
        index($0, long "=") == 1 { value = substr($0, length(long) + 2) }
        index($0, short "=") == 1 { value = substr($0, length(short) + 2) }
        END { if (value != "") print value }'
}

whole() { part "file $1" cat "$1"; }

every() {
    for each in "$1"/*."$2"; do
        [ -e "$each" ] && whole "$each"
    done
}

endpoint() { [ -n "$1" ] && sockets="$sockets ${1#unix://}"; }

of_kubelet() {
    endpoint "$(flag "$1" --container-runtime-endpoint)"
    config=$(flag "$1" --config)
    [ -n "$config" ] && whole "$config"
    # Only to learn which sockets to resolve: what the file says is read by a YAML parser, elsewhere.
    [ -r "$config" ] && endpoint "$(sed -n 's/^ *"\{0,1\}containerRuntimeEndpoint"\{0,1\}: *"\{0,1\}\([^", ]*\).*/\1/p' "$config")"
    folder=$(flag "$1" --config-dir)
    [ -n "$folder" ] && every "$folder" conf
}

# These run kubelet inside themselves; its flags are in files, or are the distribution's own.
embedded() {
    case $2 in
    kubelite) whole /var/snap/microk8s/current/args/kubelet ;;
    *)
        [ -e /etc/rancher/k3s/config.yaml ] && whole /etc/rancher/k3s/config.yaml
        every /etc/rancher/k3s/config.yaml.d yaml
        every /var/lib/rancher/k3s/agent/etc/kubelet.conf.d conf
        ;;
    esac
}

# The binary of a running containerd. k3s is one program under many names, and looks at its own name.
program() {
    link=$(readlink "$1/exe" 2>/dev/null)
    case ${link##*/} in
    containerd*) echo "$1/exe" ;;
    '') # Somebody else's process, and we are not root: its own word, if it is a path.
        first=$(arguments "$1" 2>/dev/null | head -n 1)
        case $first in
        /*) echo "$first" ;;
        *) echo "$1/exe" ;;
        esac
        ;;
    *) if [ -x "${link%/*}/containerd" ]; then echo "${link%/*}/containerd"; else echo "$1/exe"; fi ;;
    esac
}

# In the process's own mount namespace, where its paths mean what they meant to it.
inside() {
    theirs=$(readlink "$1/ns/mnt" 2>/dev/null)
    ours=$(readlink /proc/self/ns/mnt 2>/dev/null)
    dir=$1
    shift
    if [ -n "$theirs" ] && [ "$theirs" != "$ours" ] && command -v nsenter >/dev/null 2>&1; then
        $limit nsenter "--mount=$dir/ns/mnt" "$@"
    else
        $limit "$@"
    fi
}

of_containerd() {
    # Only root may look through a process's own root; elsewhere it is ours.
    root=$1/root
    [ -x "$root/" ] || root=
    binary=$(program "$1")
    config=$(flag "$1" --config -c)
    part "version $pid" inside "$1" "$binary" --version
    part "dump $pid" dumped inside "$1" "$binary" ${config:+--config "$config"} config dump
    part "ages $pid" ages "$1" "${config:-$default}"
    part "plugins $pid" plugins "$1" "$binary" "$(address_of "$1")"
    part "journal $pid" journal_of "_PID=$pid"
    part "programs $pid" programs "$1"
    written "$pid" "$root" "${config:-$default}"
    trusting="$trusting $(printf '%s\n' "$dump" | sed -n 's/^ *config_path = .\(\/[^ ]*\).$/\1/p' | tr ':' ' ')"
}

# Kept in a variable too: which files it was made of stands in it.
dumped() {
    dump=$("$@")
    code=$?
    printf '%s\n' "$dump"
    return "$code"
}

# How long ago the process was started, and each file of its configuration was changed: a dump is of the files, and
# the process has read them once.
ages() {
    now=$(date +%s)
    ticks=$(getconf CLK_TCK 2>/dev/null || echo 100)
    read -r up _ </proc/uptime
    sed 's/.*) //' "$1/stat" | awk -v up="$up" -v ticks="$ticks" '{ printf "process %d\n", up - $20 / ticks }'
    imported "$root" "$2" | while read -r found; do
        echo "file $((now - $(stat -c %Y "$root$found"))) $found"
    done
}

# The file that it goes by ($2), and those that this one imports, below the root ($1) where the process sees them.
imported() {
    imports=$(printf '%s\n' "$dump" | sed -n 's/^imports = \[\(.*\)\]$/\1/p' | tr -d "'\"" | tr ',' ' ')
    set -f
    for each in "$2" $imports; do
        set +f
        # containerd 2 shows its default glob also where a file that has imports of its own has put it out of effect.
        case $each in
        *\**) grep -qF -e "\"$each\"" -e "'$each'" "$1$2" 2>/dev/null || [ ! -e "$1$2" ] || continue ;;
        /*) ;;
        *) continue ;;
        esac
        # Their globs are ours to expand.
        for found in "$1"$each; do
            [ -f "$found" ] && echo "${found#"$1"}"
        done
    done | sort -u
    set +f
}

# Those files, and what else lies where drop-ins do: whether it is imported is judged elsewhere.
written() {
    {
        imported "$2" "$3"
        for found in "$2${3%/*}"/*.d/*; do
            case $found in
            */certs.d/* | */hosts.d/*) ;;
            *) [ -f "$found" ] && echo "${found#"$2"}" ;;
            esac
        done
    } | sort -u | head -n 40 | while read -r found; do
        [ "$(stat -L -c %s "$2$found")" -gt 200000 ] || part "config $1 $found" cat "$2$found"
    done
}

# Where it listens: as its flag says, else its configuration, in which a server is a plugin since 2.3.
address_of() {
    told=$(flag "$1" --address -a)
    [ -n "$told" ] || told=$(printf '%s\n' "$dump" |
        sed -n '/^ *\[\(grpc\|plugins\..io\.containerd\.server\.v1\.grpc.\)\]/,/^ *\[/s/^ *address = .\(.*\).$/\1/p' | head -n 1)
    echo "$told"
}

# What the daemon itself says of its CRI plugin, and of those that this one is made of: files may have changed since it
# has read them, and a plugin may be in error while the process lives. `plugins ls` asks, and changes nothing.
plugins() {
    case $2 in
    /proc/*) own=$(readlink "$2") ;;
    *) own=$2 ;;
    esac
    client=${own%/*}/ctr
    [ -x "$root$client" ] || client=$(command -v ctr)
    if [ -z "$client" ]; then
        echo "there is no ctr here to ask containerd with" >&2
        return 1
    fi
    inside "$1" "$client" ${3:+--address "$3"} plugins ls -d id==cri type==io.containerd.cri.v1
}

# What it said while it started: which plugin did not load, and with which runtimes the CRI plugin did. Of 1.x, whose
# line has everything, passwords of registries too, only that is taken.
journal_of() {
    command -v journalctl >/dev/null 2>&1 || return 127
    said=$($limit journalctl -b -q --no-pager -o cat "$@")
    code=$?
    printf '%s\n' "$said" | grep -E 'failed to load plugin|[Ss]tart(ing)? cri plugin|level=fatal|^containerd: ' |
        sed 's/Start cri plugin with config {PluginConfig:{ContainerdConfig:{\(.*\) NoPivot:.*/Start cri plugin \1/
            s/\(Start cri plugin with config \){.*/\1/' | tail -n 20
    return "$code"
}

# Whether each program that a runtime of its configuration names is there to be run.
programs() {
    named=$(printf '%s\n' "$dump" | sed -n "s/^ *BinaryName = [\"']\([^\"' ][^\"' ]*\)[\"']$/\1/p" | sort -u | head -n 20)
    theirs=$(tr '\0' '\n' 2>/dev/null <"$1/environ" | sed -n 's/^PATH=//p')
    # shellcheck disable=SC2016,SC2086 # it is expanded there; names of programs have no blanks
    [ -z "$named" ] || inside "$1" env PATH="${theirs:-$PATH}" /bin/sh -c '
        for each do
            found=$each
            case $each in /*) ;; *) found=$(command -v -- "$each") ;; esac
            if [ -f "$found" ] && [ -x "$found" ]; then
                echo "runs $each"
            elif [ -e "$found" ]; then
                echo "other $each"
            elif [ -d "${found%/*}" ] && [ ! -x "${found%/*}" ]; then
                echo "hidden $each"
            else
                echo "missing $each"
            fi
        done' sh $named
}

# A containerd that does not start is no process that could be asked: its unit says what it would be, and its own
# program, which reads its files and starts nothing, what is wrong with them.
of_idle() {
    said=$($limit systemctl show --no-pager --property=LoadState,ActiveState,ExecStart "$1")
    case $said in
    *LoadState=loaded*) ;;
    *) return ;;
    esac
    case $said in
    *ActiveState=active*) return ;;
    esac
    started=$(printf '%s\n' "$said" | sed -n 's/^ExecStart={ path=[^;]*; argv\[\]=\([^;]*\);.*/\1/p')
    binary=${started%% *}
    case ${binary##*/} in
    containerd*) ;;
    *) return ;;
    esac
    config=$(printf '%s\n' "$started" | tr ' ' '\n' | awk '
        taken { print; exit }
        $0 == "--config" || $0 == "-c" { taken = 1 }
        index($0, "--config=") == 1 { print substr($0, 10); exit }')
    part "idle $1" printf '%s\n' "$started"
    part "version $1" $limit "$binary" --version
    part "dump $1" dumped $limit "$binary" ${config:+--config "$config"} config dump
    part "journal $1" journal_of -u "$1"
    written "$1" "" "${config:-$default}"
}

wanted() {
    case $1 in
    kubelet | kubelite | k3s | k3s-agent | k3s-server | containerd | crio | cri-dockerd | dockerd) return 0 ;;
    esac
    return 1
}

held() { ls -l "$1/fd" | awk '/socket:/ { print $NF }'; }

process() {
    pid=${1#/proc/}
    read -r comm 2>/dev/null <"$1/comm" || return
    if ! wanted "$comm"; then
        first=$(arguments "$1" 2>/dev/null | head -n 1)
        comm=${first##*/}
        wanted "$comm" || return
    fi
    part "process $pid $comm" arguments "$1"
    part "cgroup $pid" cat "$1/cgroup"
    part "namespaces $pid" grep '^NSpid:' "$1/status"
    case $comm in
    kubelet) of_kubelet "$1" ;;
    kubelite | k3s*) embedded "$1" "$comm" ;;
    containerd) of_containerd "$1" ;;
    dockerd) docker=$pid ;;
    esac
    case $comm in
    kube*) ;;
    *) part "sockets $pid" held "$1" ;;
    esac
}

resolved() {
    for each in $sockets; do
        [ -e "$each" ] && printf '%s %s\n' "$each" "$(readlink -f "$each")"
    done
    return 0
}

gpus() {
    for each in /sys/bus/pci/devices/*; do
        read -r vendor 2>/dev/null <"$each/vendor" || continue
        [ "$vendor" = 0x10de ] || continue
        read -r class 2>/dev/null <"$each/class"
        # 03: display controllers. NVSwitches and audio functions of the same vendor are no GPUs.
        case $class in
        0x03*) echo "pci ${each##*/} $class" ;;
        esac
    done
    for each in /proc/driver/nvidia/gpus/*/information; do
        [ -r "$each" ] && sed -n 's/^Model:[[:space:]]*/model /p' "$each"
    done
    [ -e /proc/driver/nvidia/version ] && echo driver
    return 0
}

toolkit() {
    command -v nvidia-ctk nvidia-container-runtime
    for each in /usr/local/nvidia/toolkit/nvidia-container-runtime /run/nvidia/toolkit/toolkit.pid \
        /run/nvidia/validations/toolkit-ready; do
        [ -e "$each" ] && echo "$each"
    done
    return 0
}

# The boot script has ended where cloud-init says so, or where there is none, or one that is switched off, as installers
# of servers leave it.
boot() {
    if [ -e /run/cloud-init/disabled ]; then
        echo none
        return 0
    fi
    [ -e /run/cloud-init ] || [ -e /var/lib/cloud/instance ] || echo none
    [ -e /var/lib/cloud/instance/boot-finished ] && echo finished
    return 0
}

# What distributions of Kubernetes leave on their nodes.
left() {
    for each in $traces; do
        [ -e "$each" ] && echo "$each"
    done
    return 0
}

part who id -u
part name uname -n
part "boot id" cat /proc/sys/kernel/random/boot_id
part kernel uname -r
part product cat /sys/class/dmi/id/product_name
part os cat /etc/os-release
part traces left
part ourselves grep '^NSpid:' /proc/self/status
for file in $(grep -lE '(^|/)(kubelet|kubelite|k3s|containerd|crio|cri-dockerd|dockerd)' /proc/[0-9]*/cmdline 2>/dev/null); do
    process "${file%/cmdline}"
done
part listening awk '$4 == "00010000" && $8 ~ /\.sock$/ { print $7, $8 }' /proc/net/unix
part resolved resolved
part nri awk '$4 != "00010000" && $8 ~ /\/nri\.sock$/ { print $8 }' /proc/net/unix
if command -v systemctl >/dev/null 2>&1; then
    part units $limit systemctl show --no-pager \
        --property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,NRestarts,WantedBy,RequiredBy $units
    for each in $units; do
        of_idle "$each"
    done
fi
part gpus gpus
part toolkit toolkit
part boot boot
