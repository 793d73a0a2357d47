// Names the sizes that tests of the runtime count in.
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SIZES_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SIZES_H_

#include <cstdint>

#include "client_sdk/runtime/moves/stream_window.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

inline constexpr int64_t kMiB = 1 << 20;
inline constexpr int64_t kPage = session::kPageBytes;
// The smallest window.
inline const int64_t kUnit = StreamWindow::BytesFor(0);

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SIZES_H_
