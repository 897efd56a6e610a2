#!/bin/bash
# bare.sh - checks that the README's two commands pass on a bare system.  For each release of Debian
# debootstrap makes a bare root with a clone of HEAD; ./run.sh and ./test.sh run there.  Run it, as
# root, before each release of rmat.
# usage: tests/bare.sh [bookworm|trixie]... [-- COMMAND ARGUMENT...]
#
# With COMMAND, it runs that instead, in the root of an earlier run, with everything installed and
# built there; the clone is updated to HEAD:  tests/bare.sh trixie -- ctest --test-dir build
#
# RMAT_BARE_DIR: the folder of the roots, some GB each (default: rmat-bare in the user's cache folder).
# It also keeps the bare system and its packages, so a second run downloads little.
# RMAT_BARE_MIRROR: the packages' mirror (default: that of this system's packages).
set -euo pipefail

fail() {
    echo "bare.sh: $1" >&2
    exit 2
}

releases=() command=()
while [ $# -gt 0 ]; do
    case $1 in
    bookworm | trixie) releases+=("$1") ;;
    --)
        command=("${@:2}")
        [ ${#command[@]} -gt 0 ] || fail "no command after --"
        break
        ;;
    *) fail "what is $1?  usage: $0 [bookworm|trixie]... [-- COMMAND ARGUMENT...]" ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)

[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and mount"
missing=()
for tool in debootstrap git; do
    command -v $tool >/dev/null || missing+=("$tool")
done
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || fail "not found: ${missing[*]}"
    echo "installing: ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
[ -z "$(git -C "$source" status --porcelain)" ] || echo "bare.sh: what is not committed is not tested" >&2
folder=${RMAT_BARE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/rmat-bare}
mkdir -p "$folder"
folder=$(realpath "$folder")

mirror=${RMAT_BARE_MIRROR-} proxy=${http_proxy-}
if command -v apt-get >/dev/null; then
    # shellcheck disable=SC2016 # apt-get expands it
    : "${mirror:=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | sed 1q)}"
    : "${proxy:=$(apt-config --format '%v' dump Acquire::http::Proxy)}"
fi
: "${mirror:=http://deb.debian.org/debian}"

# make_root RELEASE: a bare system, and a clone in it.
make_root() {
    local root=$folder/$1 base=$folder/$1.base
    mkdir -p "$folder/$1.packages"
    if [ ! -d "$base" ]; then
        echo "$1: debootstrap from $mirror"
        rm -rf "$base.partial"
        if ! http_proxy=$proxy debootstrap --variant=minbase --cache-dir="$folder/$1.packages" \
            "$1" "$base.partial" "$mirror" &>"$folder/$1.debootstrap.log"; then
            tail "$folder/$1.debootstrap.log" >&2
            return 1
        fi
        mv "$base.partial" "$base"
    fi
    rm -rf --one-file-system "$root"
    cp -a "$base" "$root"
    # Which debootstrap does not write, but every installer: without, each mpirun of Open MPI 4 waits
    # five seconds for an answer to this host's name.
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$root/etc/hosts"
    git clone -q "$source" "$root/rmat"
}

# inside RELEASE COMMAND...: run it in the clone.  In namespaces of its own: with its end all that is
# mounted there or runs there is gone.
running=
trap '[ -z "$running" ] || kill -KILL "$running"' EXIT
inside() {
    local status=0
    # shellcheck disable=SC2016 # the inner shell expands them
    unshare --mount --pid --fork --kill-child bash -c '
        set -e
        root=$1 packages=$2 proxy=$3
        shift 3
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        mount --bind "$packages" "$root/var/cache/apt/archives"
        cd "$root"
        pivot_root . . # for nsenter, which tests use, leads out of a chroot
        umount -l .
        cd /rmat
        exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            ${proxy:+"http_proxy=$proxy"} "$@"
    ' bash "$folder/$1" "$folder/$1.packages" "$proxy" "${@:2}" &
    running=$!
    wait $running || status=$?
    running=
    return $status
}

failed=0
for release in "${releases[@]}"; do
    if [ ${#command[@]} -gt 0 ] && [ -d "$folder/$release/rmat" ]; then
        git -C "$folder/$release/rmat" fetch -q "$source" HEAD
        git -C "$folder/$release/rmat" checkout -q --force --detach FETCH_HEAD
    else
        make_root "$release" || { failed=1; echo "$release: there is no root: FAILED"; continue; }
    fi
    if [ ${#command[@]} -gt 0 ]; then
        inside "$release" "${command[@]}" || failed=1
        continue
    fi
    for script in ./run.sh ./test.sh; do
        start=$SECONDS
        log=$folder/$release.${script:2}.log
        if inside "$release" "$script" &>"$log"; then
            echo "$release: $script passed, $((SECONDS - start)) s"
        else
            failed=1
            tail -n 60 "$log"
            echo "$release: $script FAILED, $((SECONDS - start)) s; see $log"
        fi
    done
done
exit $failed
