#include "client_sdk/runtime/fast_limit.h"

#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/report_log.h"

namespace stowage::runtime {
namespace {

std::string Percent(double share) {
  char text[32];
  snprintf(text, sizeof(text), "%g%%", 100 * share);
  return text;
}

// Of the peak, rounded up to whole percent; empty where all of it is too
// little.
std::string OrShare(int64_t bytes, int64_t peak_bytes) {
  const double share = std::ceil(100.0 * bytes / peak_bytes) / 100;
  return share <= 1 ? " or " + Percent(share) : "";
}

}  // namespace

FastLimit::FastLimit(const session::Welcome& welcome, int64_t available_bytes,
                     session::Report* report)
    : report_(report),
      is_found_(welcome.finds_limit != 0),
      fraction_(welcome.limit_fraction),
      available_bytes_(available_bytes) {
  report_->limit_bytes.store(welcome.limit_bytes);
  // A share starts at the least and follows the peak.
  Set(is_share() ? session::kPageBytes : welcome.limit_bytes);
}

bool FastLimit::FollowPeak(int64_t step, int64_t tensor_bytes,
                           int64_t needed_bytes) {
  if (!is_share()) return false;
  int64_t bytes = fraction_ * tensor_bytes;
  if (step == 0) {
    bytes = std::max(bytes, std::min(needed_bytes, kFirstStepBytes));
  }
  if (bytes <= bytes_) return false;
  Set(RoundUpToPage(bytes));
  return true;
}

bool FastLimit::EndStep(int64_t step, int64_t peak_bytes) {
  peak_stands_ = peak_bytes <= tensor_peak_bytes_;
  if (!peak_stands_) {
    tensor_peak_bytes_ = peak_bytes;
    report_->tensor_peak_bytes.store(peak_bytes);
  }
  if (!is_share()) return false;
  const int64_t share_bytes = RoundUpToPage(fraction_ * tensor_peak_bytes_);
  if (step > 0 && share_bytes <= bytes_) return false;
  Set(share_bytes);
  return true;
}

bool FastLimit::IsCheckDue(int64_t steps) const {
  if (refused()) return true;
  if (is_found_) return false;  // there was a plan for it
  if (!is_share()) return steps <= 2;
  return steps >= 2 && peak_stands_ && !checked_;
}

void FastLimit::Check(int64_t least_bytes) {
  if (unlimited()) return;
  checked_ = true;
  report_->least_limit_bytes.store(least_bytes);
  const int64_t refused_below_bytes = std::exchange(
      refused_below_bytes_, bytes_ < least_bytes ? least_bytes : 0);
  if (!refused()) return;
  if (refused_below_bytes_ != refused_below_bytes) {
    ReportEvent(report_, "limit-too-small",
                "the least limit that works is " + std::to_string(least_bytes));
  }
  throw std::runtime_error(RefusalText(least_bytes));
}

std::string FastLimit::RefusalText(int64_t least_bytes) const {
  const std::string share_text =
      ", " + Percent(fraction_) + " of the tensor peak of " +
      std::to_string(tensor_peak_bytes_) + " bytes that its steps have shown,";
  return "stowage: the fast-memory limit of " + std::to_string(bytes_) +
         " bytes" + (is_share() ? share_text : "") +
         " is too small for this job; the least limit that works is " +
         std::to_string(least_bytes >> 20) + "MiB (" +
         std::to_string(least_bytes) + " bytes)" +
         (is_share() ? OrShare(least_bytes, tensor_peak_bytes_) : "");
}

}  // namespace stowage::runtime
