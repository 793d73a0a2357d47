// Keeps the last transitions a DQN saw, to learn from again (Table II).
//
//   ReplayBuffer buffer(100);
//   buffer.Add(transition);
//   std::vector<Transition> batch = buffer.Sample(32, engine);
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_REPLAY_BUFFER_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_REPLAY_BUFFER_H_

#include <cstddef>
#include <random>
#include <vector>

#include "policies/deeptm/dqn/q_network.h"

namespace stowage::policies {

// Describes one decision on one tensor, up to the next decision on it.
struct Transition {
  StateVector state = {};
  bool fast = false;  // the action
  float reward = 0;
  StateVector next = {};
  bool last = false;  // the tensor or the episode ended; `next` means nothing
};

class ReplayBuffer {
 public:
  explicit ReplayBuffer(size_t capacity) : capacity_(capacity) {}

  // Adds a transition, in place of the oldest if the buffer is full.
  void Add(const Transition& transition) {
    if (transitions_.size() < capacity_) {
      transitions_.push_back(transition);
    } else {
      transitions_[next_] = transition;
    }
    next_ = (next_ + 1) % capacity_;
  }

  size_t size() const { return transitions_.size(); }

  // Returns a sample with replacement. The buffer must not be empty.
  std::vector<Transition> Sample(size_t count, std::mt19937_64& engine) const {
    std::vector<Transition> batch;
    for (size_t i = 0; i < count; ++i) {
      batch.push_back(transitions_[engine() % transitions_.size()]);
    }
    return batch;
  }

 private:
  const size_t capacity_;
  size_t next_ = 0;
  std::vector<Transition> transitions_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_REPLAY_BUFFER_H_
