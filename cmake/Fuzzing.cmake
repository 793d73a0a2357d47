# Fuzzers (tests/fuzz). With STOWAGE_FUZZ everything counts what code an input
# reaches, which needs Clang and its runtime; libFuzzer drives the fuzzers. Without
# it they are ordinary tests, which run their corpora once.
if(STOWAGE_FUZZ)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
  check_cxx_source_compiles("
    extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) {
      return 0;
    }" STOWAGE_HAS_LIBFUZZER)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT STOWAGE_HAS_LIBFUZZER)
    message(FATAL_ERROR "STOWAGE_FUZZ needs libFuzzer; install clang-14 and "
                        "libclang-rt-14-dev, and configure with --preset fuzz")
  endif()
  # A finding of the sanitizer for undefined behaviour ends the fuzzer, too.
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-recover=all)
endif()
