// Numbers the kinds of step of a job, from 0 as they appear.
//
//   StepKinds kinds;
//   const int32_t kind = kinds.Of(signature);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_KINDS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_KINDS_H_

#include <cstdint>
#include <unordered_map>

namespace stowage::runtime {

class StepKinds {
 public:
  // Returns the number of the kind whose steps have this signature.
  int32_t Of(uint64_t signature) {
    const auto next = static_cast<int32_t>(numbers_.size());
    return numbers_.try_emplace(signature, next).first->second;
  }

 private:
  std::unordered_map<uint64_t, int32_t> numbers_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_KINDS_H_
