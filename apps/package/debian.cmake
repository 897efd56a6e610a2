# Settings for packages that Debian's own rules allow:
#
#     cmake -C apps/package/debian.cmake -S . -B build-deb
#     cmake --build build-deb --target package -j
#
# The target works in any build folder; these add shared libraries in Debian's folders and hardening.
# DEBFULLNAME and DEBEMAIL in the environment name the maintainer.
set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "")
set(CMAKE_SKIP_INSTALL_RPATH ON CACHE BOOL "")
set(BUILD_SHARED_LIBS ON CACHE BOOL "")
set(RMAT_BUILD_TESTS OFF CACHE STRING "")
set(CMAKE_C_FLAGS "-fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wformat -Wformat-security" CACHE STRING "")
set(link_flags "-Wl,-z,relro,-z,now")
set(CMAKE_EXE_LINKER_FLAGS "-pie ${link_flags}" CACHE STRING "")
set(CMAKE_SHARED_LINKER_FLAGS ${link_flags} CACHE STRING "")
set(CMAKE_MODULE_LINKER_FLAGS ${link_flags} CACHE STRING "")
