#include "server/placement/call_both.h"

#include <future>

namespace stowage {

void CallBothAtOnce(const std::function<void()>& first,
                    const std::function<void()>& second) {
  // Where there is no thread to be had, it is called by get().
  std::future<void> other = std::async(second);
  first();
  other.get();
}

}  // namespace stowage
