# Sets RMAT_HDF5_TARGETS, what to link; HDF5_VERSION; HDF5_IS_PARALLEL; RMAT_HAVE_PARALLEL_HDF5; and
# RMAT_HDF5_MODULE, the pkg-config module it comes from, or empty where FindHDF5 found it.
#
# Debian and Ubuntu have a serial HDF5 and one for each MPI side by side, which FindHDF5 cannot tell
# apart; pkg-config can.  Elsewhere, and where HDF5_ROOT says which one, there is one HDF5, and it
# says whether it is parallel.
set(RMAT_HAVE_PARALLEL_HDF5 OFF)
set(RMAT_HDF5_MODULE "")
set(want_parallel OFF)
if(RMAT_HAVE_MPI AND NOT RMAT_WITH_PARALLEL_HDF5 STREQUAL "OFF")
  set(want_parallel ON)
endif()

if(want_parallel AND NOT HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT})
  include(CheckSymbolExists)
  find_package(PkgConfig QUIET)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(OPEN_MPI mpi.h RMAT_MPI_IS_OPENMPI)
  check_symbol_exists(MPICH_VERSION mpi.h RMAT_MPI_IS_MPICH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(RMAT_MPI_IS_OPENMPI)
    set(RMAT_HDF5_MODULE hdf5-openmpi)
  elseif(RMAT_MPI_IS_MPICH)
    set(RMAT_HDF5_MODULE hdf5-mpich)
  endif()
  if(PKG_CONFIG_FOUND AND RMAT_HDF5_MODULE)
    pkg_check_modules(RMAT_HDF5 QUIET IMPORTED_TARGET ${RMAT_HDF5_MODULE})
  endif()
  if(RMAT_HDF5_FOUND)
    set(HDF5_VERSION ${RMAT_HDF5_VERSION})
    set(HDF5_IS_PARALLEL ON)
    set(RMAT_HDF5_TARGETS PkgConfig::RMAT_HDF5 MPI::MPI_C)
    set(RMAT_HDF5_LIBRARIES ${RMAT_HDF5_LINK_LIBRARIES} ${MPI_C_LIBRARIES})
  else()
    set(RMAT_HDF5_MODULE "")
  endif()
endif()

if(NOT RMAT_HDF5_MODULE)
  set(HDF5_PREFER_PARALLEL ${want_parallel})
  find_package(HDF5 REQUIRED COMPONENTS C)
  set(RMAT_HDF5_TARGETS hdf5::hdf5)
  set(RMAT_HDF5_LIBRARIES ${HDF5_C_LIBRARIES})
  if(HDF5_IS_PARALLEL AND RMAT_HAVE_MPI) # its header needs MPI's, whether or not we use it
    list(APPEND RMAT_HDF5_TARGETS MPI::MPI_C)
    list(APPEND RMAT_HDF5_LIBRARIES ${MPI_C_LIBRARIES})
  endif()
endif()

if(want_parallel AND HDF5_IS_PARALLEL)
  set(RMAT_HAVE_PARALLEL_HDF5 ON)
elseif(RMAT_WITH_PARALLEL_HDF5 STREQUAL "ON")
  message(FATAL_ERROR "RMAT_WITH_PARALLEL_HDF5 is ON, but an HDF5 with MPI support was not found")
endif()
