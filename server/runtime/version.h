// Holds the version of this binary, which is CMake's project version.
#ifndef STOWAGE_SERVER_RUNTIME_VERSION_H_
#define STOWAGE_SERVER_RUNTIME_VERSION_H_

namespace stowage {

inline constexpr char kVersion[] = STOWAGE_VERSION;

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_VERSION_H_
