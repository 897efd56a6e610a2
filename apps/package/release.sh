#!/usr/bin/env bash
# release.sh - the files of a release, from the commit that is checked out, in FOLDER/rmat-VERSION.
# The version is that of rmat/rmat.h.
# usage: apps/package/release.sh [--trial] FOLDER [PART]...
#
#   tarball      the sources, as git has them (git, xz)
#   changes      what is new, out of CHANGES.md
#   sdist        python/: the sources of the Python package (pyproject-build, of PyPI's build)
#   wheel        python/: its wheel for CPUs (cibuildwheel, and docker or podman)
#   wheel-cu12, wheel-cu13
#                python/: the same with kernels, by CUDA 12 and 13
#   deb          deb/: Debian packages for the release that this runs on (dpkg, file, and what a build needs);
#                without kernels, unless RMAT_WITH_CUDA in the environment is ON
#
# Without PART, all of them.  A part whose tools are not here is refused before anything is made, and
# so is a version of which CHANGES.md does not speak first, but with --trial.  SHA256SUMS has all
# files; it is made anew whenever a part comes to those that the folder has.
set -euo pipefail

fail() {
    echo "release.sh: $1" >&2
    exit 2
}

all=(tarball changes sdist wheel wheel-cu12 wheel-cu13 deb)
trial=
[ "${1-}" != --trial ] || { trial=1 && shift; }
[ $# -gt 0 ] || fail "no FOLDER; usage: $0 [--trial] FOLDER [PART]..., PART one of: ${all[*]}"

folder=$(realpath -m "$1")
shift
parts=("$@")
[ $# -gt 0 ] || parts=("${all[@]}")

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
    changes) made=("$out/CHANGES-$version.md") ;;
    sdist) need pyproject-build && need cmake && made=("$out/python/$name.tar.gz") ;;
    wheel*)
        [[ " ${all[*]} " == *" $part "* ]] || fail "PART is '$part': allowed are ${all[*]}"
        need cibuildwheel
        command -v docker >/dev/null || command -v podman >/dev/null ||
            fail "the part $part needs docker or podman, and neither is here"
        package=rmat${part#wheel}
        made=("$out/python/${package/-/_}-$version"-*.whl)
        ;;
    deb) need dpkg-shlibdeps && need file && need cmake && made=("$out/deb/"*.deb) ;;
    *) fail "PART is '$part': allowed are ${all[*]}" ;;
    esac
    for file in "${made[@]}"; do
        [ ! -e "$file" ] || fail "$file exists already"
    done
done
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not released" >&2
news=$(git show HEAD:CHANGES.md | awk '/^## / { n++ } n == 1')
if [ -z "$trial" ] && [[ $news != "## $version, "* ]]; then
    fail "CHANGES.md speaks first of '$(head -n 1 <<<"${news#"## "}")', not of $version; --trial makes the files all the same"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD | tar x -C "$work" # so that nothing else gets in
cd "$work/$name"
mkdir -p "$out"
for part in "${parts[@]}"; do
    echo "release.sh: $part"
    case $part in
    tarball) tar c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$name" |
        xz -T0 >"$out/$name.tar.xz" ;;
    changes) printf '%s\n' "$news" >"$out/CHANGES-$version.md" ;;
    sdist)
        apps/package/wheel_libraries.sh --sources libraries
        pyproject-build --sdist -o "$out/python" apps/python
        rm -r libraries
        ;;
    wheel*)
        cuda=${part#wheel}
        engine=docker
        command -v docker >/dev/null || engine=podman
        RMAT_CUDA=${cuda#-cu} CIBW_CONTAINER_ENGINE=${CIBW_CONTAINER_ENGINE-$engine} \
            CUDAARCHS=${CUDAARCHS-80-real;90-real;90-virtual} \
            cibuildwheel --platform linux --output-dir "$out/python" apps/python
        ;;
    deb)
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
