#include "server/runtime/descriptor_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <climits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

// The service itself needs about 20.
constexpr int kFewest = 64;

}  // namespace

absl::StatusOr<DescriptorBudget> DivideDescriptors(int limit) {
  if (limit < kFewest) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the process may open ", limit, " descriptors, but needs ",
                     kFewest, "; raise the hard limit (ulimit -Hn)"));
  }
  const int http_connections = std::clamp(limit / 16, 4, 64);
  // Twice as many, because those that make way for newer ones take a moment to
  // close.
  return DescriptorBudget{
      .http_connections = http_connections,
      .spare = 2 * http_connections + std::clamp(limit / 8, 8, 64)};
}

absl::StatusOr<DescriptorBudget> BudgetDescriptors() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = soft;
  return DivideDescriptors(
      static_cast<int>(std::min<rlim_t>(limit.rlim_cur, INT_MAX)));
}

}  // namespace stowage
