#!/bin/sh
# Debian packages of a build folder: their contents, that their programs run and their libraries link
# and, if lintian is installed and the folder has the settings of apps/package/debian.cmake, that
# lintian finds no errors.  Arguments: build folder, library folder.
set -eu
build=$1
libdir=$2
readme=$(cd "$(dirname "$0")/../.." && pwd)/README.md
for tool in cpack dpkg-deb dpkg-shlibdeps file pkg-config; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
mkdir control

# Named another generator, CPack does not see whether the folder is up to date, which takes long.
cpack --config "$build/CPackConfig.cmake" -B "$work" -D CPACK_CMAKE_GENERATOR=Ninja \
    -D CPACK_DEBIAN_PACKAGE_MAINTAINER="The rmat authors <rmat@debian.org>" >log 2>&1 || { cat log; exit 1; }
for package in *.deb; do
    name=${package%%_*}
    dpkg-deb -x "$package" root
    dpkg-deb -e "$package" "control/$name"
    (cd root && md5sum --quiet -c "../control/$name/md5sums")
    for document in copyright changelog.gz changelog.Debian.gz; do
        test -f "root/usr/share/doc/$name/$document"
    done
    echo "$package: $(dpkg-deb -f "$package" Depends)"
done
grep -q '^Depends:.* libhdf5.*' control/rmat/control
grep -q '^Depends: librmat[0-9.]* (= ' control/librmat-dev/control
if grep -q '^RMAT_HELP2MAN:FILEPATH=/' "$build/CMakeCache.txt"; then
    test -f root/usr/share/man/man1/rmat.1.gz
else
    echo "not tested: the manual page, for there is no help2man"
fi
if find root -perm /022 ! -type l | grep .; then
    echo "others may write to these"
    exit 1
fi

rmat=root/usr/bin/rmat
$rmat generate --scale 16 --quiet
$rmat verify --quiet graph.h5
PKG_CONFIG_PATH=$work/root/usr/$libdir/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^```c$/,/^```$/p' "$readme" | sed '/^```/d' >example.c
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o example example.c $(pkg-config --cflags --libs rmat)
test "$(LD_LIBRARY_PATH=root/usr/$libdir ./example | wc -l)" -eq 4

if ! grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt"; then
    echo "not asked of lintian: another prefix"
elif command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error ./*.deb
else
    echo "no lintian"
fi
