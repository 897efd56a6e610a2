#!/usr/bin/env bash
# wheel_libraries.sh - the libraries that the Python package contains, as static ones, and their licences.  Each is a
# commit of its authors' repository, so its bytes are known.  Of HDF5, a tag, only the headers are used: the package
# contains none of it.
#
# usage: apps/package/wheel_libraries.sh PREFIX
#            they are built and installed there.  In a container of manylinux, before the wheel is built
#            ([tool.cibuildwheel] in apps/python/pyproject.toml), and by a source distribution where the system does
#            not have them (apps/python/libraries.cmake)
#        apps/package/wheel_libraries.sh --sources FOLDER
#            their sources, for a source distribution (apps/package/release.sh); from there the first form takes them.
#            Without ISA-L, which needs an assembler
#
# RMAT_CUDA: 12 or 13, for a wheel with kernels.  CUDA's compiler is then installed as well, and the
# package, in the container's copy of the sources, is called rmat-cu12 or rmat-cu13.
set -euo pipefail
project=$(realpath "$(dirname "$0")/../..")
bundle=$project/libraries sources= prefix=$1
[ "$1" != --sources ] || { sources=$(realpath -m "$2") && prefix=$sources; }
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
export CFLAGS="-O2 -fPIC -fvisibility=hidden" CXXFLAGS="-O2 -fPIC"

# library NAME REPOSITORY COMMIT LICENCE [LEFT OUT]...: its sources, in the working folder; those that no build of ours
# needs are left out of a source distribution.
library() {
    name=$1
    if [ -d "$bundle/$1" ]; then
        cp -r "$bundle/$1" "$build/$1"
        cd "$build/$1"
    else
        git init -q "$build/$1"
        cd "$build/$1"
        git fetch -q --depth 1 "https://github.com/$2" "$3"
        git -c advice.detachedHead=false checkout -q FETCH_HEAD
    fi
    [ -n "$sources" ] || install -D -m 644 "$4" "$prefix/licenses/$1.txt"
    rm -rf .git .github "${@:5}"
    echo "wheel_libraries.sh: $1"
}

configure() {
    cmake -S "$1" -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
        -DINSTALL_PKGCONFIG_DIR="$prefix/lib/pkgconfig" -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF "${@:2}"
} >/dev/null

# with_cmake FOLDER OPTION...
with_cmake() {
    if [ -n "$sources" ]; then
        mkdir -p "$sources"
        cp -r . "$sources/$name"
        return
    fi
    configure "$@"
    cmake --build build -j "$(nproc)" >/dev/null
    cmake --install build >/dev/null
}

library zlib madler/zlib 51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf LICENSE contrib doc examples test ./*.pdf # 1.3.1
with_cmake . -DZLIB_BUILD_EXAMPLES=OFF
rm -f "$prefix"/lib/libz.so* # which it builds all the same
library zstd facebook/zstd 794ea1b0afca0f020f4e57b6732332231fb23c70 LICENSE contrib doc examples programs tests zlibWrapper # 1.5.6
with_cmake build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF
library json-c json-c/json-c 41a55cfcedb54d9c1874f2f0eb07b504091d7e37 COPYING bench fuzz tests # 0.18
with_cmake . -DBUILD_APPS=OFF
library snappy google/snappy 6af9287fbdb913f0794d0148c6aa43b58e63c8e3 COPYING docs testdata third_party # 1.2.2
with_cmake . -DSNAPPY_BUILD_TESTS=OFF -DSNAPPY_BUILD_BENCHMARKS=OFF
sed -i '/^add_subdirectory (examples)/d' CMakeLists.txt
with_cmake . -DUSE_BLAS=OFF
if [ -d "$bundle/hdf5" ]; then
    cp -r "$bundle/hdf5/include" "$prefix"
else
    library hdf5 HDFGroup/hdf5 refs/tags/hdf5_1.14.6 COPYING
    [ -n "$sources" ] && prefix=$sources/hdf5 || rm "$prefix/licenses/hdf5.txt"
    configure . -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_HL_LIB=OFF \
        -DHDF5_ENABLE_Z_LIB_SUPPORT=OFF -DHDF5_ENABLE_SZIP_SUPPORT=OFF
    cmake --install build --component headers >/dev/null
    [ -z "$sources" ] || cp COPYING "$prefix"
fi
[ -z "$sources" ] && [ ! -d "$bundle" ] || exit 0

library isa-l intel/isa-l c387163fcbca62701d646149564c550c78a4f985 LICENSE # 2.31.1
{ ./autogen.sh && ./configure --disable-shared --prefix="$prefix" --libdir="$prefix/lib" && make -j "$(nproc)" install; } &>"$build/isa-l.log" ||
    { cat "$build/isa-l.log"; exit 1; }

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
