# What is installed, and the Debian package.

include(GNUInstallDirs)
install(TARGETS profgauge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${PROFGAUGE_SHARE}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

include(CMakePackageConfigHelpers)
set(PROFGAUGE_PRIVATE_MODULES re2 libdeflate libxxhash libzstd xlsxwriter)
if(ISAL_FOUND)
  set(PROFGAUGE_ISAL_MODULE libisal)
  list(APPEND PROFGAUGE_PRIVATE_MODULES libisal)
endif()
string(REPLACE ";" " " PROFGAUGE_PRIVATE_MODULES "${PROFGAUGE_PRIVATE_MODULES}")
set(PROFGAUGE_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/profgauge)
configure_package_config_file(ci/package/profgaugeConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/profgaugeConfig.cmake INSTALL_DESTINATION ${PROFGAUGE_CMAKE_FOLDER}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/profgaugeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(ci/package/profgauge.pc.in profgauge.pc @ONLY)
install(TARGETS profgauge_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY include/profgauge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/profgaugeConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/profgaugeConfigVersion.cmake
  DESTINATION ${PROFGAUGE_CMAKE_FOLDER} COMPONENT library)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/profgauge.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# The Debian package: the program alone, with the shared libraries that it was linked to. Debian has
# the licence's text; share/doc/profgauge/copyright points to it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME profgauge)
set(CPACK_PACKAGE_CONTACT "ProfGauge maintainers <maintainers@profgauge.example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "judges deep-learning training profiles")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Reads what PyTorch Profiler, Nsight Systems, NVProf, DLProf, XLA, AWS Neuron,
rocprofv3 and others recorded, holds it against limits and rules, writes HTML,
Markdown, XLSX and JSON reports, and answers with its exit status.")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME profgauge)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME profgauge_${PROJECT_VERSION}_amd64.deb)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
