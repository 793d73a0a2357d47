// Foretells of which kind the next step is, from the kinds of the steps before.
//
//   KindForecast forecast;
//   forecast.Note(signature);  // of the step that has ended
//   const bool as_expected = forecast.was_right();
//   const std::optional<uint64_t> next = forecast.Next();
//
// Jobs repeat themselves: two steps of a critic and one of the generator, an
// epoch of training and an evaluation. So what followed each earlier step speaks
// for itself, twice as loud for each step before it that was of the same kind as
// now. Where steps come in no order, this is the kind that usually follows.
//
// Pure. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_KIND_FORECAST_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_KIND_FORECAST_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace stowage::runtime {

class KindForecast {
 public:
  // Steps that are remembered: of epochs that are longer, the end is not
  // foreseen.
  static constexpr size_t kRememberedSteps = 256;

  // Notes that a step of this kind has ended.
  void Note(uint64_t kind);

  // Returns the kind that is expected next; nullopt if none has ever followed
  // the last one.
  std::optional<uint64_t> Next() const;

  // Returns whether the last step was of the kind that had been expected.
  bool was_right() const { return was_right_; }

 private:
  struct Past {
    uint64_t kind;
    int alike;  // steps up to this one that are as those up to the last one
  };

  std::deque<Past> past_;  // oldest first
  bool was_right_ = false;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_KIND_FORECAST_H_
