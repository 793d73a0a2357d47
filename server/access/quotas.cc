#include "server/access/quotas.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

// Above this many buckets the full ones are dropped.
constexpr size_t kManyBuckets = 4096;

}  // namespace

Quotas::Quotas(QuotaLimits limits) : limits_(std::move(limits)) {}

void Quotas::SetLimits(QuotaLimits limits) {
  absl::MutexLock lock(&mutex_);
  limits_ = std::move(limits);
}

void Quotas::Fill(Bucket* bucket, absl::Time now) const {
  const double filled =
      bucket->tokens +
      limits_.per_second * absl::ToDoubleSeconds(now - bucket->at);
  bucket->tokens = std::min(filled, limits_.burst);
  bucket->at = now;
}

void Quotas::DropFull(absl::Time now) {
  absl::erase_if(buckets_, [&](auto& entry) {
    mutex_.AssertHeld();
    Fill(&entry.second, now);
    return entry.second.tokens >= limits_.burst;
  });
}

absl::Status Quotas::Take(absl::string_view identity, double amount,
                          absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (limits_.per_second <= 0) return absl::OkStatus();
  auto found = buckets_.find(identity);
  if (found == buckets_.end()) {
    if (buckets_.size() >= kManyBuckets) DropFull(now);
    found = buckets_.try_emplace(identity, Bucket{limits_.burst, now}).first;
  }
  Bucket& bucket = found->second;
  Fill(&bucket, now);
  const double needed = std::min(amount, limits_.burst);
  if (bucket.tokens >= needed) {
    bucket.tokens -= amount;
    return absl::OkStatus();
  }
  const absl::Duration wait =
      absl::Seconds((needed - bucket.tokens) / limits_.per_second);
  return absl::ResourceExhaustedError(absl::StrCat(
      "'", identity, "' takes more than its share of ", limits_.per_second, " ",
      limits_.unit, " a second; try again in ",
      absl::FormatDuration(absl::Ceil(wait, absl::Milliseconds(1)))));
}

}  // namespace stowage
