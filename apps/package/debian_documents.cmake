# Run by CPack between installing and packing: each package gets its copyright and changelogs, and
# what Debian wants compressed is.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  string(TOUPPER ${component} upper)
  set(doc ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE ${doc}/changelog.Debian "rmat (${version}) unstable; urgency=medium

  * Packed by CPack; changelog.gz says what is new.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  configure_file(${CPACK_RMAT_CHANGES} ${doc}/changelog COPYONLY)
  configure_file(${CPACK_RMAT_COPYRIGHT} ${doc}/copyright COPYONLY)
  file(GLOB documents ${doc}/changelog* ${root}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB documents ${doc}/*)
  file(CHMOD ${documents} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(CHMOD ${root}/share ${root}/share/doc ${doc} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
