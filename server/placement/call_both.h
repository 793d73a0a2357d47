// Gives policies a way to do two things at once (PlanOptions::call_both).
//
//   options.call_both = CallBothAtOnce;
#ifndef STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_
#define STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_

#include <functional>

namespace stowage {

// Calls `second` in a thread of its own, if the system gives one, and `first`
// in this one; returns when both have returned.
void CallBothAtOnce(const std::function<void()>& first,
                    const std::function<void()>& second);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_CALL_BOTH_H_
