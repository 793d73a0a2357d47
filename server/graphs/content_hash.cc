#include "server/graphs/content_hash.h"

#include <openssl/sha.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {

std::string HashFields(const std::vector<std::string>& fields) {
  std::string key;
  // The lengths keep neighbouring fields apart.
  for (const std::string& field : fields) {
    absl::StrAppend(&key, field.size(), ":", field);
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(),
         digest.data());
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace stowage
