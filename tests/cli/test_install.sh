#!/bin/sh
# Install into a temporary folder and build small programs against it: by CMake's find_package(), with all
# components and with each alone; by pkg-config; and the examples of the pages.  Compare the libraries' symbols
# with the installed headers.  Arguments: build folder, library folder within the prefix.
set -eu
build=$1
libdir=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

cmake --install "$build" --prefix "$work/prefix" >"$work/log"
rmat=$work/prefix/bin/rmat
cd "$work"
"$rmat" generate --scale 20 --edges 1000 --quiet
first=$("$rmat" info graph.h5 --edges 1 | tail -n 1 | sed 's/^ *//')
version=$("$rmat" --version | head -n 1)
expected="$version: 1000 edges, first $first"
# The manual page has every command, where help2man was found.
page=$work/prefix/share/man/man1/rmat.1
if grep -q '^RMAT_HELP2MAN:FILEPATH=/' "$build/CMakeCache.txt"; then
    for command in $("$rmat" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        grep -qx "$command" "$page" || { echo "$page lacks $command"; exit 1; }
    done
    grep -q "\"$version\"" "$page" || { echo "$page lacks the version"; exit 1; }
else
    echo "not tested: the manual page, for there is no help2man"
    test ! -e "$page"
fi

check() {
    if [ "$2" != "$expected" ]; then
        echo "$1 consumer printed '$2', expected '$expected'"
        exit 1
    fi
    echo "$1 consumer: $2"
}

# A copy: the sources of this project must not be found by accident.
cp -r "$here/consumer" source
if ! { cmake -S source -B cmake-build -DCMAKE_PREFIX_PATH="$work/prefix" &&
    cmake --build cmake-build; } >log 2>&1; then
    cat log
    exit 1
fi
check CMake "$(cmake-build/consumer graph.h5)"

# One component: HDF5 is neither looked for nor linked where files are not asked for.  Each is found in a folder of its
# own of one project, those that need less before those that need more.
mkdir components
{
    echo 'cmake_minimum_required(VERSION 3.22)'
    echo 'project(components LANGUAGES C)'
    for component in alias core io engine; do
        echo "set(COMPONENT $component)"
        echo "add_subdirectory($work/source/component $component)"
    done
} >components/CMakeLists.txt
if ! { cmake -S components -B components-build -DCMAKE_PREFIX_PATH="$work/prefix" &&
    cmake --build components-build; } >log 2>&1; then
    cat log
    exit 1
fi
for component in alias core io engine; do
    "components-build/$component/component_$component"
done
if cmake -S source/component -B none -DCMAKE_PREFIX_PATH="$work/prefix" -DCOMPONENT=none >log 2>&1; then
    echo "a component that does not exist was found"
    exit 1
fi

if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" "$here/test_symbols.py" "$work/prefix" "$libdir" "$here/../../apps/package/exports.map"
fi

command -v pkg-config >/dev/null || exit 0
PKG_CONFIG_PATH=$work/prefix/$libdir/pkgconfig
LD_LIBRARY_PATH=$work/prefix/$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
root=$here/../..

# compile MODULES WORDS...: a C program with what pkg-config says of static libraries
compile() {
    modules=$1
    shift
    # shellcheck disable=SC2046,SC2086 # flags are words
    ${CC:-cc} "$@" $(pkg-config --static --cflags --libs $modules)
}

# block PAGE LANGUAGE: the example on a page
block() {
    sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" "$root/$1" | sed '/^```/d'
}

# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o consumer source/consumer.c $(pkg-config --cflags --libs rmat rmat-io)
check pkg-config "$(./consumer graph.h5)"
compile "rmat rmat-io" -o consumer source/consumer.c
check "pkg-config --static" "$(./consumer graph.h5)"
# Of the engine's examples one makes what the command line makes, and one makes edges of its own; each the same file alone
# and on three ranks.
"$rmat" generate --scale 16 --permute --unique --format csr --seed 7 --quiet -o write_csr.expected
for example in write_csr own_edges; do
    compile rmat-engine -o $example "$root/apps/examples/$example.c"
    ./$example $example.h5
    "$rmat" verify --quiet $example.h5
    test ! -e $example.expected || cmp $example.h5 $example.expected
    if [ -n "${MPIRUN:-}" ]; then
        $MPIRUN -n 3 ./$example ranks.h5 | grep "by 3 ranks"
        cmp ranks.h5 $example.h5
        rm ranks.h5
    fi
done
# A generator on the libraries of alias tables and of files alone.
compile "rmat-alias rmat-io" -fopenmp -o chung_lu "$root/apps/examples/chung_lu.c" -lm
./chung_lu degrees.h5 --power-law 2.5 1000 8 | grep "1000 vertices, 4000 edges"
"$rmat" verify --quiet degrees.h5
# From C++: the vertices with the most edges are those that awk counts.
if command -v "${CXX:-c++}" >/dev/null; then
    # shellcheck disable=SC2046
    ${CXX:-c++} -std=c++17 -pthread -o hubs "$root/apps/examples/hubs.cpp" $(pkg-config --static --cflags --libs rmat)
    ./hubs 12 >hubs.txt
    "$rmat" generate --scale 12 --quiet --format el -o - |
        awk '{ degree[$1]++ } END { for (vertex in degree) print vertex, degree[vertex] }' |
        sort -k2,2nr -k1,1n | sed 5q | cmp - hubs.txt
fi
for module in rmat rmat-alias; do
    if pkg-config --static --libs $module | grep -i -e hdf5 -e mpi; then
        echo "$module needs what only rmat-io should"
        exit 1
    fi
done
# The README's example: four edges of a scale-40 graph, each with both ids below 2^40; and that of alias/README.md.
block README.md c >example.c
compile rmat -o example example.c
./example | awk 'NF != 2 || $1 >= 2^40 || $2 >= 2^40 { bad = 1 } $1 >= 2^32 { large = 1 }
    END { if (bad || !large || NR != 4) { print "the example printed something else"; exit 1 } }'
block alias/README.md c >draws.c
compile rmat -o draws draws.c
./draws | awk '{ sum += $2 } END { if (sum != 1000) { print "the draws add up to " sum; exit 1 } }'

# Examples for nvcc, which may find no GPU to run on: draws that add up, and a million edges.
[ -n "${NVCC:-}" ] || exit 0
block alias/README.md cuda >histogram.cu
cp "$root/apps/examples/out_degrees.cu" degrees.cu
for example in histogram degrees; do
    # shellcheck disable=SC2046
    $NVCC -arch="$CUDA_ARCHITECTURE" -o $example $example.cu $(pkg-config --cflags rmat) -L"$work/prefix/$libdir" \
        -lrmat_core -lrmat_alias -lgomp
    if ! ./$example 16 >counts 2>message; then
        grep "no GPU" message
    elif [ $example = histogram ]; then
        awk '{ sum += $2 } END { if (sum != 1e9) { print "the draws add up to " sum; exit 1 } }' counts
    else
        grep "^1048576 edges" counts
    fi
done
