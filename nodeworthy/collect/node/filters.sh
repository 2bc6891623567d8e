# What a node filters, and between which interfaces: a third part of reading.sh. The rules are read, and no packet is
# sent: that would take a pod's end of a network, which nobody may make on somebody's node.
# shellcheck disable=SC2086 # $brief is a command and its argument, or nothing

# Every interface, the ones that default routes lead to, with their metric, and where all other routes lead.
links() {
    sed -n 's/^ *\([^: ]*\):.*/\1/p' /proc/net/dev
    awk '
        $2 == "00000000" && $8 == "00000000" { print "default", $1, $7; next }
        NR > 1 && NR < 1000 { print "route", $1, $2, $3, $8 }
    ' /proc/net/route
}

# The same of IPv6, whose addresses the kernel writes without colons.
links6() {
    awk '
        $10 == "lo" { next }
        $1 == "00000000000000000000000000000000" && $2 == "00" { if ($5 !~ /^0*$/) print "default", $10, $6; next }
        n++ < 1000 { print "route", $10, $1, $5, $2 }
    ' /proc/net/ipv6_route
}

# The programs that can say what the kernel filters. Some systems have legacy tables under the same names.
filters() {
    if [ "$(id -u)" != 0 ]; then
        echo "only root may see what the kernel filters" >&2
        return 1
    fi
    saves=$(command -v iptables-nft-save)
    if [ -z "$saves" ]; then
        case $(iptables --version 2>/dev/null) in *nf_tables*) saves=$(command -v iptables-save) ;; esac
    fi
    # Asking for legacy tables that are not loaded would load them.
    legacy=
    if grep -qsxE 'filter|raw|mangle' /proc/net/ip_tables_names; then
        legacy=$(command -v iptables-legacy-save || command -v iptables-save)
    fi
    lists=$(command -v nft)
    echo "$saves $legacy $lists"
    # A system whose programs are the legacy ones, and whose tables are not loaded, filters nothing.
    [ -n "$saves$legacy$lists" ] || command -v iptables-save && return
    echo "neither iptables nor nft is here to ask" >&2
    return 1
}

saved() {
    kept=$($brief "$@")
    code=$?
    printf '%s\n' "$kept"
    return "$code"
}

# The tables by which a packet may be dropped before it meets filter, or behind it.
beside() {
    for each in raw mangle; do
        if [ -n "$saves" ]; then
            $brief "$saves" -t "$each" || is_nfts "$each" || return
        fi
        if [ -n "$legacy" ] && grep -qsx "$each" /proc/net/ip_tables_names; then
            $brief "$legacy" -t "$each" || return
        fi
    done
}

# Sets and maps of interfaces and addresses alone: those of ports are of single services, and may be very many.
sets() {
    awk '
        $1 == "set" || $1 == "map" { kind = $1; name = $2 }
        ($1 == "type" || $1 == "typeof") && name != "" && !/inet_service|inet_proto|[sd]port|proto|mark|string/ { print kind, name }
        $1 == "}" { name = "" }
    '
}

# A table without what stands in its sets, and then those of them that are short enough to be read.
table() {
    listed=$($brief nft -t list table "$1" "$2" 2>/dev/null || $brief nft list table "$1" "$2") || return
    printf '%s\n' "$listed"
    printf '%s\n' "$listed" | sets | head -n 40 | while read -r kind name; do
        listed=$($brief nft list "$kind" "$1" "$2" "$name" 2>/dev/null) || continue
        [ "${#listed}" -gt 50000 ] || printf '%s\n' "$listed"
    done
}

# Whether nft alone understands a table that has the name of one of iptables'.
is_nfts() {
    [ -z "$saves" ] || $brief "$saves" -t "$1" 2>&1 | grep -q incompatible
}

# Tables that are not those of iptables.
native() {
    tables=$($brief nft list tables) || return
    printf '%s\n' "$tables" | while read -r _ family table; do
        case "$family $table" in
        "ip nat" | "ip security") continue ;;
        "ip mangle" | "ip raw") is_nfts "$table" || continue ;;
        "ip filter") case $saves,$kept in
            ,* | *incompatible*) ;;
            *) continue ;;
            esac ;;
        "ip6 nat" | "ip6 security" | "ip6 mangle" | "ip6 raw") continue ;;
        "ip6 filter") [ -z "$saves6" ] || continue ;;
        "ip "* | "ip6 "* | "inet "* | "netdev "*) ;;
        *) continue ;;
        esac
        table "$family" "$table" || exit
    done
}

part links links
saves=
legacy=
lists=
kept=
part filters filters
if [ -n "$legacy" ] && grep -qsx filter /proc/net/ip_tables_names; then
    part "iptables legacy" $brief "$legacy" -t filter
fi
[ -n "$saves" ] && part iptables saved "$saves" -t filter
[ -n "$saves$legacy" ] && part "iptables beside" beside
part "links6" links6
# Asked where the kernel has IPv6 at all; of legacy tables those that are loaded.
saves6=
if [ -e /proc/net/if_inet6 ] && [ "$(id -u)" = 0 ]; then
    saves6=$(command -v ip6tables-nft-save)
    if [ -z "$saves6" ]; then
        case $(ip6tables --version 2>/dev/null) in
        *nf_tables*) saves6=$(command -v ip6tables-save) ;;
        *) ! grep -qsx filter /proc/net/ip6_tables_names || saves6=$(command -v ip6tables-save) ;;
        esac
    fi
    [ -z "$saves6" ] || part ip6tables $brief "$saves6" -t filter
fi
[ -n "$lists" ] && part nft native
if [ -e /etc/ufw/ufw.conf ]; then
    whole /etc/ufw/ufw.conf
    command -v systemctl >/dev/null 2>&1 && part ufw units ufw.service
fi
