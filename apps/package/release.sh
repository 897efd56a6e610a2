#!/usr/bin/env bash
# release.sh - the files of a release in FOLDER/rmat-VERSION: a tarball of the sources, as git has
# them in the commit that is checked out, and its checksum in SHA256SUMS.  The version is that of
# rmat/rmat.h; CHANGES.md has to speak of it first.
# usage: apps/package/release.sh FOLDER
set -euo pipefail

fail() {
    echo "release.sh: $1" >&2
    exit 2
}

[ $# -eq 1 ] || fail "one FOLDER is needed; usage: $0 FOLDER"
command -v xz >/dev/null || fail "xz is needed, which is not here"
folder=$(realpath -m "$1")

cd "$(dirname "$0")/../.."
version=$(sed -n 's/^#define RMAT_VERSION *"\([0-9.]*\)".*/\1/p' rmat/rmat.h)
name=rmat-$version
out=$folder/$name
[ ! -e "$out" ] || fail "$out exists already"
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not released" >&2
news=$(git show HEAD:CHANGES.md | awk '/^## / && !n++ { print substr($0, 4) }')
[[ $news = "$version, "* ]] || fail "CHANGES.md speaks first of '$news', not of $version"

mkdir -p "$out"
git archive --prefix="$name/" HEAD | xz -T0 >"$out/$name.tar.xz"
cd "$out"
sha256sum "$name.tar.xz" | tee SHA256SUMS
echo "release.sh: $out"
