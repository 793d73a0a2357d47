# What `pip install .` adds to the programs: the plug-in for the PyTorch of the environment,
# if pip installed that. pip builds in an environment of its own, whose interpreter still
# knows where the user's packages are.
include(ExternalProject)

execute_process(
  COMMAND ${Python_EXECUTABLE} -c
    "import sysconfig; print(sysconfig.get_path('platlib'))"
  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(torch ${packages}/torch)

if(NOT EXISTS ${torch}/lib/libc10.so)
  message(STATUS "No PyTorch in ${packages}: `stowage plugin build` makes the plug-in later")
  add_custom_target(stowage_wheel_plugin)
  return()
endif()

file(STRINGS ${torch}/version.py version REGEX "^__version__ = ")
string(REGEX REPLACE "^__version__ = '([^'+]*).*" "\\1" version "${version}")
message(STATUS "The plug-in is for PyTorch ${version} in ${torch}")
ExternalProject_Add(stowage_wheel_plugin
  SOURCE_DIR ${PROJECT_SOURCE_DIR}/client_sdk/torch/standalone
  BINARY_DIR ${PROJECT_BINARY_DIR}/plugin
  CMAKE_ARGS -DSTOWAGE_TORCH_DIR=${torch}
  EXCLUDE_FROM_ALL ON
  BUILD_ALWAYS ON
  INSTALL_COMMAND "")
install(FILES ${PROJECT_BINARY_DIR}/plugin/libstowage_torch.so
        DESTINATION lib/stowage/torch-${version})
