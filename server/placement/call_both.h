// Lets policies do two things at once (PlanOptions::call_both).
//
//   options.call_both = CallBothAtOnce;
#ifndef STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_
#define STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_

#include <functional>

namespace stowage {

// Calls `first` in this thread and `second` in another one, if the system gives
// one. Returns when both have returned.
void CallBothAtOnce(const std::function<void()>& first,
                    const std::function<void()>& second);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_
