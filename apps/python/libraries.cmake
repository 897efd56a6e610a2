# A source distribution comes with the sources of the libraries that the package contains, and with HDF5's headers.
# Where the system lacks any of them, all are built here, once, by apps/package/wheel_libraries.sh.
pkg_check_modules(RMAT_LIBRARIES QUIET zlib libzstd json-c)
find_path(RMAT_HDF5_INCLUDE hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT PATH_SUFFIXES include hdf5/serial)
set(built ${PROJECT_BINARY_DIR}/libraries)
if(NOT RMAT_LIBRARIES_FOUND OR NOT RMAT_HDF5_INCLUDE OR EXISTS ${built})
  if(NOT EXISTS ${built}/done)
    message(STATUS "Building the libraries that the system does not have")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} CMAKE_GENERATOR=${CMAKE_GENERATOR}
      bash ${PROJECT_SOURCE_DIR}/apps/package/wheel_libraries.sh ${built} COMMAND_ERROR_IS_FATAL ANY)
    file(TOUCH ${built}/done)
  endif()
  set(ENV{PKG_CONFIG_PATH} ${built}/lib/pkgconfig)
  set(ENV{RMAT_LICENSES} ${built}/licenses)
  list(PREPEND CMAKE_PREFIX_PATH ${built})
endif()
