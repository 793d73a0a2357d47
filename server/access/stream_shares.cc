#include "server/access/stream_shares.h"

#include "absl/strings/str_cat.h"

namespace stowage {

void StreamShares::SetLimit(int limit) {
  absl::MutexLock lock(&mutex_);
  limit_ = limit;
}

absl::StatusOr<StreamShares::Share> StreamShares::Take(
    absl::string_view identity) {
  absl::MutexLock lock(&mutex_);
  int& open = open_[identity];
  if (limit_ > 0 && open >= limit_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "'", identity, "' has ", open, " streams open and may have ", limit_,
        "; end one first, or ask the operator for more (--streams)"));
  }
  ++open;
  return Share(this, [this, name = std::string(identity)](
                         const void* /*this*/) { GiveBack(name); });
}

void StreamShares::GiveBack(const std::string& identity) {
  absl::MutexLock lock(&mutex_);
  const auto found = open_.find(identity);
  if (--found->second == 0) open_.erase(found);
}

}  // namespace stowage
