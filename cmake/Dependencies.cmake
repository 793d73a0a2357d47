# Everything comes from Debian 12's packages; tools/setup.sh installs them.
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)  # module mode: Debian ships no config file
find_package(gRPC CONFIG REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MEMKIND REQUIRED IMPORTED_TARGET memkind)
pkg_check_modules(NUMA REQUIRED IMPORTED_TARGET numa)
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing)
