// Finds the phase of a step, of those that a script names: "warmup".
//
//   StepPhases phases;
//   const std::string before = phases.Enter("warmup");
//   phases.NoteKernel();
//   std::string_view name = phases.Longest();  // "warmup"
//   phases.BeginStep();
//   phases.Enter(before);
//
// A phase seldom begins and ends where steps do: the first batch is loaded
// before it, and the last one of an evaluation ends when training goes on. So a
// step belongs to the phase in which most of its kernels began.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PHASES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PHASES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stowage::runtime {

class StepPhases {
 public:
  // Names the phase from here on; empty: none. Returns the one before.
  std::string Enter(const std::string& name) {
    std::string before = phases_[current_].name;
    const auto known =
        std::find_if(phases_.begin(), phases_.end(),
                     [&](const Phase& phase) { return phase.name == name; });
    current_ = known - phases_.begin();
    if (known == phases_.end()) phases_.push_back({name});
    return before;
  }

  // Notes that a kernel begins.
  void NoteKernel() { ++phases_[current_].kernels; }

  // Returns the phase in which most kernels of the step began.
  std::string_view Longest() const {
    return std::max_element(phases_.begin(), phases_.end(),
                            [](const Phase& a, const Phase& b) {
                              return a.kernels < b.kernels;
                            })
        ->name;
  }

  // Begins the next step, in the same phase.
  void BeginStep() {
    phases_ = {{std::move(phases_[current_].name)}};
    current_ = 0;
  }

 private:
  struct Phase {
    std::string name;
    int64_t kernels = 0;  // of the step
  };

  std::vector<Phase> phases_ = {{}};  // of the step
  size_t current_ = 0;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PHASES_H_
