# What makes a fresh build take half of its time. Most of it goes into headers of
# other projects, which every source would read anew.
#
#   stowage_compile_together(stowage_policies)  # a library of small sources
#   stowage_reuse_test_headers(graph_test stowage_policies)
#
# Neither changes what a source means. -DSTOWAGE_FAST_BUILD=OFF compiles each
# source alone, which also shows what a source forgets to include.
option(STOWAGE_FAST_BUILD
       "Compile sources of libraries together and tests with precompiled headers"
       ON)

# The default linker takes four times as long.
find_program(MOLD mold)
if(STOWAGE_FAST_BUILD AND MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  # Without pages of their own for segments, the 1.10 of Debian 12 may begin what is
  # read-only after relocation (RELRO) below its segment, where thread-local
  # variables come first: such a program does not start ("cannot apply additional
  # memory protection after relocation").
  add_link_options(-fuse-ld=mold -Wl,-z,separate-loadable-segments)
endif()

# Compiles the sources of `target` eight at a time. What two of them declare in
# anonymous namespaces must differ in name.
function(stowage_compile_together target)
  if(STOWAGE_FAST_BUILD)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# Compiles `target`, which computes little, with few optimisations.
function(stowage_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Lets the test `target`, which links `libraries`, read the headers that most
# tests include in compiled form: with gRPC's, or without.
function(stowage_reuse_test_headers target libraries)
  if(NOT STOWAGE_FAST_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  elseif(libraries MATCHES "torch|stowage_deeptm")
    return()  # LibTorch is of another C++ ABI.
  elseif(libraries MATCHES "stowage_(client|server|telemetry)(;|$)|stowaged_testing")
    set(headers stowage_rpc_test_headers)
  else()
    set(headers stowage_test_headers)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  stowage_cache_precompiled(${target})
endfunction()

# Lets ccache store what precompiled headers are part of.
function(stowage_cache_precompiled target)
  # GCC 12 warns of std::string without a reason where it is precompiled.
  target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds
    -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread)
  if(CCACHE)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
  endif()
endfunction()

# Adds `name`, whose headers tests reuse. They are compiled as tests are, since
# GCC takes compiled headers only where the options are the same.
function(stowage_add_test_headers name)
  if(NOT STOWAGE_FAST_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cc "int main() {}\n")
  add_executable(${name} ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE GTest::gmock stowage_proto
    absl::flat_hash_map absl::status absl::statusor absl::strings absl::time)
  target_precompile_headers(${name} PRIVATE
    <algorithm> <atomic> <chrono> <cstdint> <functional> <map> <memory> <mutex>
    <optional> <string> <thread> <utility> <vector>
    <gmock/gmock.h> <gtest/gtest.h>
    <absl/container/flat_hash_map.h> <absl/status/statusor.h>
    <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/time/time.h>
    <stowage/v1/graph.pb.h> <stowage/v1/memory_system.pb.h>
    <stowage/v1/plan.pb.h>)
  if(name MATCHES rpc)
    target_link_libraries(${name} PRIVATE stowage_proto_grpc gRPC::grpc++)
    target_precompile_headers(${name} PRIVATE
      <grpcpp/grpcpp.h> <stowage/v1/graphs.grpc.pb.h> <stowage/v1/job.grpc.pb.h>
      <stowage/v1/node.grpc.pb.h> <stowage/v1/placement.grpc.pb.h>
      <stowage/v1/training.grpc.pb.h>)
  endif()
  stowage_set_test_options(${name})
  stowage_cache_precompiled(${name})
endfunction()
