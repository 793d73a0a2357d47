// Says how a plan breaks a rule: the rule's name, then what happened where.
//
//   return Violation("overlap", "at kernel 3 tensors 1 and 2 share bytes");
//
// Pure function.
#ifndef STOWAGE_POLICIES_VERIFY_VIOLATION_H_
#define STOWAGE_POLICIES_VERIFY_VIOLATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::policies {

inline absl::Status Violation(const char* name, const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat(name, ": ", what));
}

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_VERIFY_VIOLATION_H_
