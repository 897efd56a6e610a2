#!/usr/bin/env bash
# From a fresh clone to a graph: install what is missing (Debian, Ubuntu), build, make Graph500's
# graph of scale 20 as graph.h5, show what it is.  Idempotent.  test.sh is this and more: it sets
# `packages`, `optional` and `options` and sources the file.
set -euo pipefail
[ "${BASH_SOURCE[0]}" != "$0" ] || packages=() optional=() options=()
cd "$(dirname "${BASH_SOURCE[0]}")"

updated=

# What provides a package need not be the package: any compiler and any CMake will do.
have() {
    case $1 in
    build-essential) command -v make >/dev/null && cc -E -include stdio.h -xc /dev/null &>/dev/null ;;
    cmake | pkg-config | python3 | help2man) command -v "$1" >/dev/null ;;
    libopenmpi-dev) command -v mpicc >/dev/null ;;
    openmpi-bin) command -v mpirun >/dev/null ;;
    gnuplot-nox) command -v gnuplot >/dev/null ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

install_missing() {
    local missing=() as_root=()
    for package in "$@"; do
        have "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "run.sh: not found: ${missing[*]}; there is no apt-get here to install them with" >&2
        return 0 # CMake says what it really lacks
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "run.sh: needs root to install: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "installing: ${missing[*]}"
    [ -n "$updated" ] || "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    updated=1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends "${missing[@]}" >/dev/null
}

# configure FOLDER OPTION...
configure() {
    mkdir -p "$1"
    cmake -S . -B "$@" >"$1/configure.log"
}

# build FOLDER [cmake --build OPTION]...
build() {
    cmake --build "$@" -j "$(nproc)" | sed '/Built target\|Consolidate compiler/d'
}

install_missing build-essential cmake pkg-config libhdf5-dev "${packages[@]}"
# rmat does without, but mpirun, rmat plot and the manual page do not.
install_missing libopenmpi-dev openmpi-bin gnuplot-nox help2man || echo "going on without MPI, gnuplot or help2man"
for package in "${optional[@]}"; do
    install_missing "$package" || echo "going on without $package"
done

# CUDA's folder is often not on PATH.  Which kernels are compiled, alias/gpu/architectures.cmake decides, unless
# CUDAARCHS does; an earlier answer is forgotten.
if [ -z "${CUDACXX-}" ] && [ -x /usr/local/cuda/bin/nvcc ] && ! command -v nvcc >/dev/null; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
fi
options+=(-DCMAKE_BUILD_TYPE=Release -DRMAT_CUDA_OPTIMIZE="${optimize-ON}" -U CMAKE_CUDA_ARCHITECTURES)
[ -z "${CUDAARCHS-}" ] || options+=(-DCMAKE_CUDA_ARCHITECTURES="$CUDAARCHS")
configure build "${options[@]}"
build build --target rmat_installed example_chung_lu

build/bin/rmat generate --scale 20 --edge-factor 16 --output graph.h5 --force
build/bin/rmat info graph.h5
