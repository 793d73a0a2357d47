#include "server/placement/call_both.h"

#include <thread>

namespace stowage {

void CallBothAtOnce(const std::function<void()>& first,
                    const std::function<void()>& second) {
  std::thread thread(second);
  first();
  thread.join();
}

}  // namespace stowage
