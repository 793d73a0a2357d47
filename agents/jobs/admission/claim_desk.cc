#include "agents/jobs/admission/claim_desk.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

bool IsClaimRequest(absl::string_view bytes) {
  uint64_t magic = 0;
  if (bytes.size() < sizeof(magic)) return false;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == session::kClaimMagic;
}

std::string ClaimAnswerOf(const absl::Status& status,
                          const std::vector<session::ClaimEntry>& entries) {
  session::ClaimAnswer answer{};
  answer.magic = session::kClaimMagic;
  answer.version = session::kVersion;
  answer.code = static_cast<int32_t>(status.code());
  answer.count = static_cast<uint32_t>(
      std::min<size_t>(entries.size(), session::kMostClaims));
  SetText(answer.text, status.message());
  std::string bytes(reinterpret_cast<const char*>(&answer), sizeof(answer));
  bytes.append(reinterpret_cast<const char*>(entries.data()),
               answer.count * sizeof(session::ClaimEntry));
  return bytes;
}

}  // namespace stowage::agent
