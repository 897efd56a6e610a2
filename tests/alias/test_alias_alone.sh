#!/bin/sh
# alias/ alone: a copy of the folder is built by its own CMake files, installed, added to another project's tree, and
# compiled by the command of its README.  No build looks for a library, and all make the same draws.
# Argument: the root of the sources.  CMAKE and CC in the environment: the tools of the build.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/other"
cp -r "$root/alias" "$work/other/alias"
cd "$work/other"
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^```c$/,/^```$/p' alias/README.md | sed '/^```/d' >draws.c
{
    echo 'cmake_minimum_required(VERSION 3.22)'
    echo 'project(other LANGUAGES C)'
    echo 'add_subdirectory(alias)'
    echo 'add_executable(draws draws.c)'
    echo 'target_link_libraries(draws PRIVATE rmat_alias m)'
} >CMakeLists.txt

# The project's dependencies cannot be found here.  An unoptimized build is the fastest to make.
build() {
    if ! { "$CMAKE" -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$CC" -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_INSTALL_LIBDIR=lib &&
        "$CMAKE" --build "$2"; } >log 2>&1; then
        cat log
        exit 1
    fi
    if grep -i -e hdf5_ -e json -e PKG_CONFIG_EXECUTABLE "$2/CMakeCache.txt"; then
        echo "$1 looks for more than OpenMP and threads"
        exit 1
    fi
}
build alias build
"$CMAKE" --install build --prefix "$work/prefix" >log
build . build-other
command=$(sed -n 's/^    cc \(.*draws\.c.*\)$/\1/p' alias/README.md)
# Also unoptimized, which takes half of the time.
sh -c "\"$CC\" $(echo "$command" | sed s/-O3/-O0/)"
mv alias away
"$CC" -O2 -fopenmp -I "$work/prefix/include" -o installed draws.c "$work/prefix/lib/librmat_alias.a" -lm

./draws >one
./installed | cmp - one
build-other/draws | cmp - one
awk '{ sum += $2; if ($2 < 100 * $1) { bad = 1 } } END { if (NR != 4 || sum != 1000 || bad) { exit 1 } }' one ||
    { cat one; exit 1; }
