#include "server/rpc/stream_workers.h"

#include <utility>

namespace stowage {
namespace {

constexpr int kThreads = 4;

}  // namespace

StreamWorkers::StreamWorkers() {
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Work(); });
}

StreamWorkers::~StreamWorkers() {
  {
    absl::MutexLock lock(&mutex_);
    closing_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void StreamWorkers::Run(std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  queue_.push_back(std::move(work));
}

void StreamWorkers::Work() {
  const auto may_go_on = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closing_ || !queue_.empty();
  };
  while (true) {
    std::function<void()> work;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&may_go_on));
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace stowage
