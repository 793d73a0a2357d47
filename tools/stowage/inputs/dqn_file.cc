#include "tools/stowage/inputs/dqn_file.h"

#include "absl/strings/str_cat.h"
#include "tools/stowage/inputs/input_file.h"

namespace stowage::cli {

absl::StatusOr<policies::DqnPolicy> LoadDqnPolicy(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<policies::DqnPolicy> policy =
      policies::DecodeDqnPolicy(*bytes);
  if (policy.ok()) return policy;
  return absl::Status(policy.status().code(),
                      absl::StrCat(path, ": ", policy.status().message()));
}

}  // namespace stowage::cli
