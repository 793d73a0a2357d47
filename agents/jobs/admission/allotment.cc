#include "agents/jobs/admission/allotment.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

std::string PlaceOf(const TierSpec& spec) {
  if (spec.argument.empty()) return spec.kind;
  return absl::StrCat(spec.kind, ":", spec.argument);
}

}  // namespace

absl::Status Allotment::CheckFast(const session::Limit& limit) const {
  if (limit.bytes <= size_.fast_bytes) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("the job asks for ", limit.bytes,
                   " bytes of fast memory, and ", size_.owner, " has ",
                   size_.fast_bytes, " (", session::SizeText(size_.fast_bytes),
                   "); leave STOWAGE_FAST out or name less, or claim more"));
}

absl::StatusOr<std::unique_ptr<SlowPart>> Allotment::TakeSlow(
    const std::string& spec) {
  const absl::StatusOr<TierSpec> asked = ParseTierSpec(spec);
  if (!asked.ok()) return asked.status();
  if (PlaceOf(*asked) != size_.slow) {
    return absl::PermissionDeniedError(absl::StrCat(
        "the job asks for slow memory in '", absl::CHexEscape(spec), "', and ",
        size_.owner, " has it in '", size_.slow,
        "' alone; leave STOWAGE_SLOW out or name that"));
  }
  absl::MutexLock lock(&mutex_);
  const int64_t free_bytes = size_.slow_bytes - slow_taken_bytes_;
  int64_t bytes = asked->size_bytes > 0 ? asked->size_bytes : free_bytes;
  bytes -= bytes % session::kPageBytes;
  if (bytes <= 0 || bytes > free_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the job asks for ", asked->size_bytes > 0 ? "more" : "some",
        " slow memory, and ", size_.owner, " has ", free_bytes, " of ",
        size_.slow_bytes, " bytes left; claim more, or give each of its jobs ",
        "a part: STOWAGE_SLOW=", size_.slow, ",size=SIZE"));
  }
  slow_taken_bytes_ += bytes;
  return std::make_unique<SlowPart>(
      this, absl::StrCat(size_.slow, ",size=", bytes), bytes);
}

absl::StatusOr<std::unique_ptr<SlowPart>> Allotment::TakeSlowBytes(
    int64_t bytes) {
  return TakeSlow(absl::StrCat(size_.slow, ",size=", bytes));
}

SlowPart::~SlowPart() {
  absl::MutexLock lock(&allotment_->mutex_);
  allotment_->slow_taken_bytes_ -= bytes_;
}

}  // namespace stowage::agent
