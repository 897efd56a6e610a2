#!/bin/bash
# two_hosts.sh COMMAND ARGUMENT...
#
# Run COMMAND on alpha, the first of two hosts, in the current folder.  The hosts are namespaces of
# this machine: alpha (10.123.45.1) and beta (10.123.45.2) have a network with one cable between
# them, a name and shared memory each; all other folders are the same, as on a cluster.  mpirun
# reaches both with --host alpha:2,beta:2.
#
# Everything ends with COMMAND.  Exit code 77, with the reason, if namespaces are not allowed.
#
# Open MPI calls this file instead of ssh as  two_hosts.sh --on HOST COMMAND...
set -euo pipefail
self=$(realpath "$0")

if [ "${1-}" = --on ]; then
    [ "$2" = beta ] || { echo "two_hosts.sh: unknown host $2" >&2; exit 1; }
    shift 2
    exec nsenter --target "$TWO_HOSTS_BETA" --net --uts --ipc --mount --wd="$PWD" sh -c "$*"
fi

skip() {
    echo "skipped: $1"
    exit 77
}

# In namespaces of its own: /etc/hosts and /dev/shm here are nobody else's.
new_host() { # NAME
    hostname "$1"
    mount -t tmpfs tmpfs /dev/shm
    ip link set lo up
}

case ${TWO_HOSTS_STEP-} in
beta)
    new_host beta
    echo ready
    exec sleep infinity
    ;;
alpha)
    new_host alpha
    names=$(mktemp)
    printf '127.0.0.1 localhost\n10.123.45.1 alpha\n10.123.45.2 beta\n' >"$names"
    mount --bind "$names" /etc/hosts
    rm "$names"
    exec 3< <(TWO_HOSTS_STEP=beta exec unshare --net --uts --ipc --mount "$self")
    export TWO_HOSTS_BETA=$!
    read -r _ <&3
    ip link add name cable type veth peer name cable netns "$TWO_HOSTS_BETA"
    ip addr add 10.123.45.1/24 dev cable
    ip link set cable up
    nsenter --target "$TWO_HOSTS_BETA" --net sh -c \
        'ip addr add 10.123.45.2/24 dev cable && ip link set cable up'
    export OMPI_MCA_plm_rsh_agent="$self --on" PRTE_MCA_plm_ssh_agent="$self --on"
    unset TWO_HOSTS_STEP
    "$@"
    ;;
*)
    for tool in ip unshare nsenter mount; do
        command -v "$tool" >/dev/null || skip "no $tool"
    done
    # The end of the first process of a PID namespace is the end of all.
    spaces=(unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc)
    [ "$(id -u)" -eq 0 ] || spaces+=(--map-root-user)
    "${spaces[@]}" sh -c 'ip link add name probe type veth peer name eborp && mount -t tmpfs tmpfs /dev/shm' \
        &>/dev/null || skip "this machine allows no namespaces"
    TWO_HOSTS_STEP=alpha exec "${spaces[@]}" "$self" "$@"
    ;;
esac
