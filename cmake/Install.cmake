# What `cmake --install build --prefix DIR` puts where:
#
#   bin                  stowage, stowaged, stowage-agent, stowage-trainer
#   lib                  the PyTorch plug-in and what loads it
#   lib/cmake/Stowage    find_package(Stowage): Stowage::torch
#   lib/pkgconfig        stowage.pc, the same for other builds
#   include/stowage      attach.h, for LibTorch programs in C++
#   share/stowage        the Python package, plots, suites, protos; the plug-in's
#                        sources, for other versions of PyTorch; what deploy has
#                        for Prometheus and Grafana
#   share/man            manual pages, made of what the programs say of themselves
#   share/...            completion for bash, fish and zsh
#
# Programs find each other relative to where they lie, so that DIR may be moved.
# Components are the Debian packages that cmake/Packages.cmake makes of this.
include(CMakePackageConfigHelpers)

# The build tree has the same places, and always `lib`: programs look in ../lib.
set(lib lib)
set(share share/stowage)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME stowage)

install(TARGETS stowage stowaged stowage-agent RUNTIME DESTINATION bin)
if(TARGET stowage-trainer)
  install(TARGETS stowage-trainer RUNTIME DESTINATION bin)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/client_sdk/python DESTINATION ${share}
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/stowage/plot DESTINATION ${share}
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/client_sdk/session
                  ${PROJECT_SOURCE_DIR}/client_sdk/runtime
                  ${PROJECT_SOURCE_DIR}/client_sdk/torch
        DESTINATION ${share}/plugin/client_sdk)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/FastBuild.cmake
        DESTINATION ${share}/plugin/cmake)
# What the plug-in needs beside them goes along: where it is built later, there are
# CMake and a compiler, and perhaps no other package.
find_file(STOWAGE_XXHASH xxhash.h REQUIRED)
install(FILES ${STOWAGE_XXHASH} DESTINATION ${share}/plugin/include)
install(FILES ${PROJECT_SOURCE_DIR}/tools/stowage/suites/papers.json
        DESTINATION ${share}/suites)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/stowage/suites/graphs
        DESTINATION ${share}/suites)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/stowage DESTINATION ${share}/proto
        FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/prometheus
                  ${PROJECT_SOURCE_DIR}/deploy/grafana DESTINATION ${share})

# Made when they are installed: a build that only runs tests does without.
install(CODE "execute_process(COMMAND /usr/bin/python3
  ${PROJECT_SOURCE_DIR}/tools/manual_pages.py ${PROJECT_BINARY_DIR}/bin
  ${PROJECT_BINARY_DIR}/share/man COMMAND_ERROR_IS_FATAL ANY)" COMPONENT stowage)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man DESTINATION share)
foreach(place "bash;bash-completion/completions;stowage"
              "fish;fish/vendor_completions.d;stowage.fish"
              "zsh;zsh/vendor-completions;_stowage")
  list(GET place 0 shell)
  list(GET place 1 folder)
  list(GET place 2 name)
  set(script ${PROJECT_BINARY_DIR}/share/completion/${name})
  install(CODE "file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/completion)
execute_process(COMMAND ${PROJECT_BINARY_DIR}/bin/stowage completion ${shell}
  OUTPUT_FILE ${script} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT stowage)
  install(FILES ${script} DESTINATION share/${folder})
endforeach()

if(STOWAGE_TORCH)
  install(TARGETS stowage_preload LIBRARY DESTINATION ${lib})
  set_target_properties(stowage_torch PROPERTIES EXPORT_NAME torch)
  install(TARGETS stowage_torch EXPORT StowageTargets
          LIBRARY DESTINATION ${lib} INCLUDES DESTINATION include)
  install(FILES ${PROJECT_SOURCE_DIR}/client_sdk/torch/attach.h
          DESTINATION include/stowage COMPONENT libstowage-dev)
  install(EXPORT StowageTargets NAMESPACE Stowage::
          DESTINATION ${lib}/cmake/Stowage COMPONENT libstowage-dev)

  configure_package_config_file(
    ${CMAKE_CURRENT_LIST_DIR}/StowageConfig.cmake.in
    ${PROJECT_BINARY_DIR}/StowageConfig.cmake
    INSTALL_DESTINATION ${lib}/cmake/Stowage)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/StowageConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/stowage.pc.in
                 ${PROJECT_BINARY_DIR}/stowage.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/StowageConfig.cmake
                ${PROJECT_BINARY_DIR}/StowageConfigVersion.cmake
          DESTINATION ${lib}/cmake/Stowage COMPONENT libstowage-dev)
  install(FILES ${PROJECT_BINARY_DIR}/stowage.pc DESTINATION ${lib}/pkgconfig
          COMPONENT libstowage-dev)
endif()
