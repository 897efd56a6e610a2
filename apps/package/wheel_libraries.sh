#!/usr/bin/env bash
# wheel_libraries.sh - inside a container of manylinux, before the wheel of the Python package is
# built there: the libraries that it contains, as static ones, and their licences.  Each is a commit
# of its authors' repository, so its bytes are known.  Of HDF5, a tag, only the headers are used: the
# container's own are older than 1.10.7, and the wheel contains none of it.
#
# usage: apps/package/wheel_libraries.sh PREFIX      ([tool.cibuildwheel] in apps/python/pyproject.toml)
#
# RMAT_CUDA: 12 or 13, for a wheel with kernels.  CUDA's compiler is then installed as well, and the
# package, in the container's copy of the sources, is called rmat-cu12 or rmat-cu13.
set -euo pipefail
prefix=$1 project=$(realpath "$(dirname "$0")/../..")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
export CFLAGS="-O2 -fPIC -fvisibility=hidden" CXXFLAGS="-O2 -fPIC"

# library NAME REPOSITORY COMMIT LICENCE: its sources, in the working folder.
library() {
    git init -q "$build/$1"
    cd "$build/$1"
    git fetch -q --depth 1 "https://github.com/$2" "$3"
    git -c advice.detachedHead=false checkout -q FETCH_HEAD
    install -D -m 644 "$4" "$prefix/licenses/$1.txt"
    echo "wheel_libraries.sh: $1"
}

# with_cmake OPTION...
with_cmake() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build build -j "$(nproc)"
    cmake --install build
} >/dev/null

library zlib madler/zlib 51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf LICENSE # 1.3.1
{ ./configure --static --prefix="$prefix" && make -j "$(nproc)" install; } >/dev/null
library zstd facebook/zstd 794ea1b0afca0f020f4e57b6732332231fb23c70 LICENSE # 1.5.6
make -C lib -j "$(nproc)" PREFIX="$prefix" install-static install-includes install-pc >/dev/null
library json-c json-c/json-c 41a55cfcedb54d9c1874f2f0eb07b504091d7e37 COPYING # 0.18
with_cmake -DBUILD_TESTING=OFF -DBUILD_APPS=OFF
library snappy google/snappy 6af9287fbdb913f0794d0148c6aa43b58e63c8e3 COPYING # 1.2.2
with_cmake -DSNAPPY_BUILD_TESTS=OFF -DSNAPPY_BUILD_BENCHMARKS=OFF
library cminpack devernay/cminpack 17dab75c6160d2ee42a3c95ea55e94738d7e559d CopyrightMINPACK.txt # 1.3.11
with_cmake -DBUILD_EXAMPLES=OFF -DUSE_BLAS=OFF
library isa-l intel/isa-l c387163fcbca62701d646149564c550c78a4f985 LICENSE # 2.31.1
{ ./autogen.sh && ./configure --disable-shared --prefix="$prefix" --libdir="$prefix/lib" && make -j "$(nproc)" install; } &>"$build/isa-l.log" ||
    { cat "$build/isa-l.log"; exit 1; }
library hdf5 HDFGroup/hdf5 refs/tags/hdf5_1.14.6 COPYING
rm "$prefix/licenses/hdf5.txt"
with_cmake -DBUILD_TESTING=OFF -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF \
    -DHDF5_ENABLE_Z_LIB_SUPPORT=OFF -DHDF5_ENABLE_SZIP_SUPPORT=OFF

cuda=OFF
if [ -n "${RMAT_CUDA-}" ]; then
    case $RMAT_CUDA in
    12) release=12-9 ;;
    13) release=13-0 ;;
    *) echo "wheel_libraries.sh: RMAT_CUDA is '$RMAT_CUDA': allowed are 12, 13" >&2 && exit 2 ;;
    esac
    dnf config-manager --add-repo https://developer.download.nvidia.com/compute/cuda/repos/rhel8/x86_64/cuda-rhel8.repo
    dnf install -y "cuda-nvcc-$release" "cuda-cudart-devel-$release" "cuda-cccl-$release"
    ln -sfn "/usr/local/cuda-${release/-/.}" /usr/local/cuda
    echo "The library contains NVIDIA's CUDA runtime (libcudart_static), which the End User License Agreement of
the CUDA Toolkit allows to be distributed with it." >"$prefix/licenses/cuda.txt"
    sed -i "s/^name = \"rmat\"/name = \"rmat-cu$RMAT_CUDA\"/" "$project/apps/python/pyproject.toml"
    cuda=ON
fi
sed -i "/^RMAT_WITH_PYTHON/a RMAT_WITH_CUDA = \"$cuda\"" "$project/apps/python/pyproject.toml"
