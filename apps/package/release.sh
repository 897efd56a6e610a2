#!/usr/bin/env bash
# release.sh - the files of a release, from the commit that is checked out, in FOLDER/rmat-VERSION.
# The version is that of rmat/rmat.h; CHANGES.md has to speak of it first.
# usage: apps/package/release.sh FOLDER [PART]...
#
#   tarball      the sources, as git has them (git, xz)
#   deb          deb/: Debian packages for the release that this runs on (dpkg, file, and what a build
#                needs); without kernels, unless RMAT_WITH_CUDA in the environment is ON
#
# Without PART, both.  A part whose tools are not here is refused before anything is made.  SHA256SUMS
# has all files; it is made anew whenever a part comes to those that the folder has.
set -euo pipefail

fail() {
    echo "release.sh: $1" >&2
    exit 2
}

[ $# -gt 0 ] || fail "no FOLDER; usage: $0 FOLDER [PART]..., PART one of: tarball deb"
folder=$(realpath -m "$1")
shift
parts=("$@")
[ $# -gt 0 ] || parts=(tarball deb)

cd "$(dirname "$0")/../.."
version=$(sed -n 's/^#define RMAT_VERSION *"\([0-9.]*\)".*/\1/p' rmat/rmat.h)
name=rmat-$version
out=$folder/$name
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

need() {
    command -v "$1" >/dev/null || fail "the part $part needs $1, which is not here"
}
for part in "${parts[@]}"; do
    case $part in
    tarball) need xz && made=("$out/$name.tar.xz") ;;
    deb) need dpkg-shlibdeps && need file && need cmake && made=("$out/deb/"*.deb) ;;
    *) fail "PART is '$part': allowed are tarball deb" ;;
    esac
    for file in "${made[@]}"; do
        [ ! -e "$file" ] || fail "$file exists already"
    done
done
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not released" >&2
news=$(git show HEAD:CHANGES.md | awk '/^## / && !n++ { print substr($0, 4) }')
[[ $news = "$version, "* ]] || fail "CHANGES.md speaks first of '$news', not of $version"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD | tar x -C "$work" # so that nothing else gets in
mkdir -p "$out"
for part in "${parts[@]}"; do
    echo "release.sh: $part"
    case $part in
    tarball) tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$name" |
        xz -T0 >"$out/$name.tar.xz" ;;
    deb)
        cd "$work/$name"
        cmake -C apps/package/debian.cmake -S . -B "$work/deb" -DRMAT_WITH_CUDA="${RMAT_WITH_CUDA-OFF}" \
            >"$work/deb.log" || { cat "$work/deb.log" && exit 1; }
        cmake --build "$work/deb" --target package -j "$(nproc)" >"$work/deb.log" || { cat "$work/deb.log" && exit 1; }
        mkdir -p "$out/deb"
        cp "$work/deb/"*.deb "$out/deb"
        ;;
    esac
done
cd "$out"
sums=$(find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum)
printf '%s\n' "$sums" | tee SHA256SUMS
echo "release.sh: $out"
