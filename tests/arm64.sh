#!/bin/bash
# arm64.sh - compares files of the program for 64-bit Arm with those of build/bin/rmat, byte for byte.
# It cross-builds the program in build-arm64 against Debian's packages and runs it under qemu-user: the
# C tests of alias/ and rmat/, which compare its instruction sets, then many models.  For Debian on
# x86-64; about ten minutes on two cores.
# usage: tests/arm64.sh [--no-tests]
#
# Exits with 77 if the packages are not available.  It installs only the compiler and the emulator;
# libraries for Arm are unpacked into build-arm64/root.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-arm64
export RMAT_ARM64_ROOT=$PWD/$folder/root QEMU_LD_PREFIX=$PWD/$folder/root

skip() {
    echo "arm64.sh: skipped: $1" >&2
    exit 77
}

[ -x build/bin/rmat ] || skip "there is no build/bin/rmat to compare with; ./run.sh makes it"
command -v apt-get >/dev/null || skip "needs apt-get"
missing=()
for package in gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user; do
    dpkg -s $package &>/dev/null || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    [ "$(id -u)" -eq 0 ] || skip "needs root to install: apt-get install ${missing[*]}"
    echo "installing: ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        skip "apt-get has no ${missing[*]}"
fi

# apt-get believes that this is an empty machine of another kind.
make_root() {
    local state=$PWD/$folder/apt
    local apt=(apt-get -qq -y -o APT::Architecture=arm64 -o APT::Architectures::=arm64
        -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state"
        -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false)
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$1/usr/bin" "$1/usr/lib" "$1/usr/sbin"
    : >"$state/status"
    "${apt[@]}" update &&
        "${apt[@]}" --download-only install check libc6-dev libgomp1 libhdf5-dev || return
    ln -s usr/bin usr/lib usr/sbin "$1"
    for package in "$state"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$1"
    done
    find "$1/usr/lib" -type l -lname '/*' | while read -r link; do
        ln -sfn "$RMAT_ARM64_ROOT$(readlink "$link")" "$link"
    done
}
if [ ! -d $folder/root ]; then
    rm -rf $folder
    make_root $folder/root.partial || skip "no packages of arm64"
    mv $folder/root.partial $folder/root
fi

cmake -S . -B $folder --toolchain tests/arm64.cmake -DCMAKE_BUILD_TYPE=Release -DRMAT_WITH_CUDA=OFF \
    -DRMAT_WITH_MPI=OFF -DRMAT_BUILD_TESTS=ON >/dev/null
cmake --build $folder -j "$(nproc)" | sed '/Built target\|Consolidate compiler/d'
if [ "${1-}" != --no-tests ]; then
    # alias_errors limits memory, which the emulator disregards; statistics take long there.
    ctest --test-dir $folder --output-on-failure -j "$(nproc)" -R '^(alias_|rmat_)' -E '^(alias_errors|rmat_stat_([i-s].*|teeth|weights))$' -LE 'slow|gpu'
fi

edges="--edges 100003"
shapes=("--scale 10" "--scale 20 --edges 300001" "--scale 20 --id-type uint64 $edges" "--scale 25 --preset rmat-er $edges"
    "--scale 31 $edges" "--scale 36 $edges" "--scale 42 $edges" "--scale 62 --edges 20011" "--scale 17 --noise 0.1 $edges"
    "--vertices 600011 $edges" "--vertices 5000000029 $edges" "--scale 30 --first 4294900000 --count 200003")
options=("" "--permute" "--weights uniform" "--no-self-loops --weights int:-7:255" "--permute --symmetrize"
    "--undirected lower --permute --no-self-loops" "--sorted" "--seed 0xdeadbeefcafef00d --permute --weights uniform --format parquet")
models=("--vertices 4096x3000000019 $edges" "--vertices 5000000029x128 --permute --weights uniform $edges"
    "--stream graph500 --scale 10" "--stream graph500 --scale 14 --weights uniform --seed2 77"
    "--stream graph500 --scale 40 $edges" "--stream gapbs --scale 12" "--stream gapbs --scale 16 --weights int:1:255"
    "--scale 14 --unique" "--scale 14 --simple --format csr" "--scale 12 --format tsv --weights uniform")
for shape in "${shapes[@]}"; do
    for option in "${options[@]}"; do
        models+=("$shape $option")
    done
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
compared=0 different=0

for model in "${models[@]}"; do
    read -ra words <<<"$model"
    build/bin/rmat generate "${words[@]}" -q --force -o "$scratch/here"
    qemu-aarch64 $folder/bin/rmat generate "${words[@]}" -q --force -o "$scratch/arm"
    compared=$((compared + 1))
    if ! cmp "$scratch/here" "$scratch/arm"; then
        echo "$model: DIFFERENT" >&2
        different=$((different + 1))
    fi
done
echo "$compared files compared, $different different"
[ $different -eq 0 ]
