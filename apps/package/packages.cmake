# The target `package`: Debian packages, or an archive where there is no dpkg.
#
#   rmat            the program with its manual page
#   librmatX.Y      shared libraries, with BUILD_SHARED_LIBS; X.Y as in their sonames, because each
#                   minor version has an interface of its own, and several may be installed at once
#   librmat-dev     headers, CMake package, pkg-config files, and the links to the shared libraries
#                   or the static libraries
#
# Dependencies of programs and libraries are found by dpkg-shlibdeps.  debian.cmake has the settings
# with which lintian finds no errors.
find_program(RMAT_DPKG dpkg)
find_program(RMAT_DPKG_SHLIBDEPS dpkg-shlibdeps)
set(CPACK_GENERATOR TGZ)
if(RMAT_DPKG)
  set(CPACK_GENERATOR DEB)
endif()
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL programs development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL libraries)
endif()
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The rmat authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

# The maintainer as Debian's tools know him; without, whoever builds the packages.
set(user $ENV{USER})
if(NOT user)
  set(user root)
endif()
set(name $ENV{DEBFULLNAME})
if(NOT name)
  set(name ${user})
endif()
set(address $ENV{DEBEMAIL})
if(NOT address)
  cmake_host_system_information(RESULT host QUERY FQDN)
  set(address ${user}@${host})
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${name} <${address}>")

set(about "An R-MAT graph is drawn edge by edge from a recursive matrix, as the graphs
of the Graph500 benchmark are. Each edge is a function of the model, the
seed and its number: the same on CPUs, GPUs and any number of hosts.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE rmat)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(RMAT_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME rmat)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "gnuplot-nox, python3-h5py")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "generator of R-MAT graphs of any size
${about}

This package has the program rmat.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME librmat${soversion})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "generator of R-MAT graphs (shared libraries)
${about}

This package has the shared libraries.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME librmat-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "generator of R-MAT graphs (development files)
${about}

This package has what it takes to compile C and C++ programs with it.")

# How dpkg-shlibdeps finds the libraries for others' packages, and that the loader's cache is to be
# made anew.
if(BUILD_SHARED_LIBS)
  set(shlibs)
  foreach(component IN LISTS components)
    get_target_property(library ${component_${component}} OUTPUT_NAME)
    string(APPEND shlibs "lib${library} ${soversion} librmat${soversion} (>= ${PROJECT_VERSION})\n")
  endforeach()
  file(CONFIGURE OUTPUT shlibs CONTENT "${shlibs}")
  file(CONFIGURE OUTPUT triggers CONTENT "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/shlibs
    ${CMAKE_CURRENT_BINARY_DIR}/triggers)
endif()

# What the pkg-config files and the CMake package ask for.
set(depends libhdf5-dev)
if(RMAT_HAVE_MPI)
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(MPICH_VERSION mpi.h RMAT_MPI_IS_MPICH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(RMAT_MPI_IS_MPICH)
    list(APPEND depends libmpich-dev)
  else()
    list(APPEND depends mpi-default-dev)
  endif()
endif()
if(BUILD_SHARED_LIBS)
  list(PREPEND depends "librmat${soversion} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
endif()
list(JOIN depends ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

# What Debian asks for beside the installed files.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/debian_documents.cmake)
set(CPACK_RMAT_CHANGES ${PROJECT_SOURCE_DIR}/CHANGES.md)
set(CPACK_RMAT_COPYRIGHT ${CMAKE_CURRENT_BINARY_DIR}/copyright)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^.*The rmat authors\n\n" " " license "${license}")
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n" "\n " license " ${license}")
set(cudart)
if(RMAT_HAVE_CUDA)
  set(cudart "Comment: The programs and libraries contain NVIDIA's CUDA runtime
 (libcudart_static), which the End User License Agreement of the CUDA Toolkit
 allows to be distributed with them.\n")
endif()
configure_file(copyright.in copyright @ONLY)
include(CPack)
