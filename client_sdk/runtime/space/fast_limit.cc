#include "client_sdk/runtime/space/fast_limit.h"

#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {
namespace {

// A peak stands that grows by this part of it at most, as it does by scalars
// that some step has and others have not.
constexpr int64_t kStandingPart = 1000;

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

int64_t EnoughBytes(int64_t least_bytes) {
  constexpr int64_t kMiB = 1 << 20;
  return (least_bytes + kMiB - 1) / kMiB * kMiB;
}

FastLimit::FastLimit(const session::LimitOrder& order,
                     const AvailableMemory& available, session::Report* report)
    : report_(report), order_(order), available_(available) {
  was_awaited_ = is_awaited();
  // A share starts at the least and follows the peak.
  share_bytes_ = session::kPageBytes;
  report_->limit_bytes.store(is_share() ? 0 : bytes());
  if (!is_share() && AskedBytes() > available_.cgroup_bytes) TellOfCgroup();
}

int64_t FastLimit::AskedBytes() const {
  const int64_t asked_bytes = is_share() ? share_bytes_ : order_.limit_bytes;
  if (order_.most_bytes == 0) return asked_bytes;
  return asked_bytes == 0 ? order_.most_bytes
                          : std::min(asked_bytes, order_.most_bytes);
}

// Without a limit nothing moves, whatever the cgroup says.
int64_t FastLimit::bytes() const {
  return std::min(AskedBytes(), available_.cgroup_bytes);
}

void FastLimit::TellOfCgroup() const {
  const std::string text =
      "the limit of " + session::SizeText(AskedBytes()) +
      " is more than the memory cgroup of the process has left; it is " +
      session::SizeText(available_.cgroup_bytes);
  ReportEvent(report_, "limit-above-cgroup", text);
  fprintf(stderr, "stowage: %s\n", text.c_str());
}

void FastLimit::Obey(const session::LimitOrder& order) {
  order_ = order;
  was_awaited_ = was_awaited_ || is_awaited();
  share_bytes_ = ShareOf(tensor_peak_bytes_);
}

int64_t FastLimit::ShareOf(int64_t tensor_bytes) const {
  return std::max(floor_bytes_,
                  RoundUpToPage(order_.limit_fraction * tensor_bytes));
}

int64_t FastLimit::MostBytesWith(int64_t step, int64_t tensor_bytes) const {
  if (!is_share()) return effective_bytes();
  const int64_t share_bytes = ShareOf(tensor_bytes);
  if (step > 0) return share_bytes;
  return std::max(
      {share_bytes, kFirstStepBytes, std::min(2 * share_bytes, tensor_bytes)});
}

bool FastLimit::FollowPeak(int64_t step, int64_t tensor_bytes,
                           int64_t needed_bytes) {
  if (!is_share()) return false;
  const int64_t share_bytes = std::max(
      ShareOf(tensor_bytes),
      RoundUpToPage(std::min(needed_bytes, MostBytesWith(step, tensor_bytes))));
  if (share_bytes <= share_bytes_) return false;
  share_bytes_ = share_bytes;
  return true;
}

bool FastLimit::EndStep(int64_t step, int64_t peak_bytes) {
  const int64_t growth_bytes = peak_bytes - tensor_peak_bytes_;
  peak_stands_ = growth_bytes <= tensor_peak_bytes_ / kStandingPart;
  if (growth_bytes > 0) {
    tensor_peak_bytes_ = peak_bytes;
    report_->tensor_peak_bytes.store(peak_bytes);
  }
  if (!is_share()) return false;
  const int64_t share_bytes = ShareOf(tensor_peak_bytes_);
  if (step > 0 && share_bytes <= share_bytes_) return false;
  share_bytes_ = share_bytes;
  return true;
}

bool FastLimit::RaiseShare(int64_t least_bytes) {
  if (!is_share() || bytes() >= least_bytes || least_bytes > kLeastShareBytes) {
    return false;
  }
  ReportEvent(report_, "share-raised",
              Percent(order_.limit_fraction) + " of the tensor peak, " +
                  session::SizeText(share_bytes_) +
                  ", is too little for any job; the limit is " +
                  session::SizeText(kLeastShareBytes));
  floor_bytes_ = kLeastShareBytes;
  share_bytes_ = ShareOf(tensor_peak_bytes_);
  return true;
}

bool FastLimit::IsCheckDue(int64_t steps, bool has_trained) const {
  if (refused()) return true;
  if (was_awaited_) return false;
  if (!is_share()) return steps <= 2;
  return has_trained && steps >= 2 && peak_stands_ && !checked_;
}

void FastLimit::Check(int64_t least_bytes) {
  if (unlimited()) return;
  checked_ = true;
  const int64_t enough_bytes = EnoughBytes(least_bytes);
  report_->least_limit_bytes.store(enough_bytes);
  const int64_t refused_below_bytes = std::exchange(
      refused_below_bytes_, bytes() < least_bytes ? enough_bytes : 0);
  if (!refused()) return;
  if (refused_below_bytes_ != refused_below_bytes) {
    ReportEvent(
        report_, "limit-too-small",
        "the least limit that works is " + std::to_string(enough_bytes));
  }
  throw std::runtime_error(RefusalText(enough_bytes));
}

std::string FastLimit::RefusalText(int64_t least_bytes) const {
  const std::string share_text =
      ", " + Percent(order_.limit_fraction) + " of the tensor peak of " +
      std::to_string(tensor_peak_bytes_) + " bytes that its steps have shown,";
  return "stowage: the fast-memory limit of " + std::to_string(bytes()) +
         " bytes" + (is_share() ? share_text : "") +
         " is too small for this job; the least limit that works is " +
         std::to_string(least_bytes >> 20) + "MiB (" +
         std::to_string(least_bytes) + " bytes)" +
         (is_share() ? OrShare(least_bytes, tensor_peak_bytes_) : "");
}

}  // namespace stowage::runtime
