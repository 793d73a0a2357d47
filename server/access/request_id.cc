#include "server/access/request_id.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

uint64_t RandomBits() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

// Random bits tell processes apart, and a number the calls of one.
std::string NewRequestId() {
  static const uint64_t process = RandomBits();
  static std::atomic<uint64_t> calls = 0;
  return absl::StrCat(absl::Hex(process, absl::kZeroPad16), "-",
                      absl::Hex(++calls));
}

}  // namespace

bool IsRequestId(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

std::string RequestIdOf(
    const std::multimap<grpc::string_ref, grpc::string_ref>& metadata) {
  const auto found = metadata.find(kRequestIdKey);
  if (found == metadata.end()) return NewRequestId();
  const std::string id(found->second.data(), found->second.size());
  return IsRequestId(id) ? id : NewRequestId();
}

}  // namespace stowage
