#include "server/placement/call_both.h"

#include <future>

namespace stowage {

void CallBothAtOnce(const std::function<void()>& first,
                    const std::function<void()>& second) {
  // If the system gives no thread, get() calls `second`.
  std::future<void> other = std::async(second);
  first();
  other.get();
}

}  // namespace stowage
