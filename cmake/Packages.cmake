# The Debian packages that tools/package.sh makes with CPack. Each is a component:
#
#   stowage          every program, the plug-in, the Python package, deploy/
#   stowage-service  stowaged as a systemd service, with its configuration
#   stowage-node     stowage-agent as a systemd service, with its configuration
#   libstowage-dev   find_package(Stowage), pkg-config and headers
#
# cmake/Install.cmake says what belongs to the first and the last. The files of the
# services are for packages alone, since they name places of a whole system.
# deploy/debian has each package's maintainer scripts.
set(debian ${PROJECT_SOURCE_DIR}/deploy/debian)

function(stowage_install_service package unit)
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/${unit}.service
          DESTINATION /usr/lib/systemd/system
          COMPONENT ${package} EXCLUDE_FROM_ALL)
  install(FILES ${debian}/${package}/${unit}.conf DESTINATION /etc/stowage
          COMPONENT ${package} EXCLUDE_FROM_ALL)
  install(FILES ${debian}/${package}/sysusers.conf DESTINATION /usr/lib/sysusers.d
          RENAME ${package}.conf COMPONENT ${package} EXCLUDE_FROM_ALL)
endfunction()

stowage_install_service(stowage-service stowaged)
stowage_install_service(stowage-node stowage-agent)

# `import stowage` without PYTHONPATH.
set(link ${PROJECT_BINARY_DIR}/packages/stowage)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
file(CREATE_LINK ../../../share/stowage/python/stowage ${link} SYMBOLIC)
install(FILES ${link} DESTINATION /usr/lib/python3/dist-packages
        COMPONENT stowage EXCLUDE_FROM_ALL)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/slurm
        DESTINATION /usr/share/doc/stowage-node/examples
        USE_SOURCE_PERMISSIONS COMPONENT stowage-node EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION /usr/share/doc/stowage
        COMPONENT stowage EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL stowage stowage-service stowage-node libstowage-dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_SET_DESTDIR ON)  # /etc and /usr are both packed
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER
    "Stowage maintainers <maintainers@stowage.example>")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# Sets what CPack asks of `package`: its section, what it needs beside libraries,
# and a description.
function(stowage_describe_package package section needs summary text)
  string(TOUPPER ${package} upper)
  install(FILES ${debian}/copyright DESTINATION /usr/share/doc/${package}
          COMPONENT ${package} EXCLUDE_FROM_ALL)
  file(GLOB scripts ${debian}/${package}/conffiles
       ${debian}/${package}/triggers ${debian}/${package}/p*)
  foreach(setting IN ITEMS "PACKAGE_NAME;${package}" "PACKAGE_SECTION;${section}"
                           "PACKAGE_DEPENDS;${needs}")
    list(POP_FRONT setting name)
    set(CPACK_DEBIAN_${upper}_${name} "${setting}" PARENT_SCOPE)
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${scripts}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(same "stowage (= ${PROJECT_VERSION})")
set(users "systemd | systemd-standalone-sysusers | systemd-sysusers")
stowage_describe_package(stowage science "python3"
  "train PyTorch models in less fast memory"
"Stowage places the tensors of a training job in memory tiers (DRAM,
persistent memory, CXL, a file on NVMe) and moves them ahead of their use, so
that the job trains in less fast memory than it needs and computes the same
numbers.

This package has the command line, the PyTorch plug-in, the placement
service and the node agent. It starts no service.")
# To build the plug-in for a PyTorch of PyPI.
set(CPACK_DEBIAN_STOWAGE_PACKAGE_SUGGESTS "cmake, make, g++")
set(CPACK_DEBIAN_STOWAGE_PACKAGE_RECOMMENDS
    "python3-torch, python3-numpy, python3-matplotlib, libopenblas0-openmp")
stowage_describe_package(stowage-service net "${same}, ${users}"
  "placement service of Stowage, as a systemd service"
"The service stores profiled graphs of training jobs, makes plans for them
and trains policies. This package runs stowaged as a user of its own.")
set(CPACK_DEBIAN_STOWAGE-SERVICE_PACKAGE_SUGGESTS "postgresql")
stowage_describe_package(stowage-node net "${same}, ${users}"
  "node agent of Stowage, as a systemd service"
"The agent owns the memory tiers of a host, gives training jobs their parts
and moves their tensors. This package runs stowage-agent for the users of a
host.")
set(CPACK_DEBIAN_STOWAGE-NODE_PACKAGE_SUGGESTS "stowage-service")
stowage_describe_package(libstowage-dev libdevel "${same}, libtorch-dev"
  "headers and CMake package of Stowage"
"A LibTorch program in C++ that attaches itself to a node agent builds with
this: find_package(Stowage) and pkg-config stowage.")
include(CPack)
