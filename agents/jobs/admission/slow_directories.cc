#include "agents/jobs/admission/slow_directories.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/tiers/backing_file.h"

namespace stowage::agent {
namespace {

namespace fs = std::filesystem;

bool IsInOrBelow(const fs::path& path, const fs::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(),
                       path.end())
             .first == directory.end();
}

// Returns the directory without links as far as it exists, and the rest as it
// is spelt.
std::string AlmostCanonical(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::absolute(directory).lexically_normal();
  const fs::path almost = fs::weakly_canonical(path, error);
  return error ? path.string() : almost.string();
}

absl::StatusOr<std::string> Canonical(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::canonical(directory, error);
  if (error) return DirectoryError(error.value(), directory);
  return path.string();
}

// Returns `tier` with another directory.
absl::StatusOr<TierSpec> WithDirectory(const TierSpec& tier,
                                       const std::string& directory) {
  const size_t options_at = tier.kind.size() + 1 + tier.argument.size();
  absl::StatusOr<TierSpec> other = ParseTierSpec(
      absl::StrCat(tier.kind, ":", directory, tier.text.substr(options_at)));
  if (other.ok() && other->argument != directory) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", directory,
                     "' has the name of an option in its "
                     "path; name another directory"));
  }
  return other;
}

}  // namespace

absl::StatusOr<SlowDirectories> SlowDirectories::Resolve(
    const std::string& default_tier, const std::vector<std::string>& allowed) {
  SlowDirectories directories;
  for (const std::string& directory : allowed) {
    absl::StatusOr<std::string> canonical = Canonical(directory);
    if (!canonical.ok()) return canonical.status();
    directories.allowed_.push_back(*std::move(canonical));
  }
  absl::StatusOr<TierSpec> tier = ParseTierSpec(default_tier);
  if (tier.ok() && NamesDirectory(*tier)) {
    const absl::StatusOr<std::string> canonical = Canonical(tier->argument);
    if (!canonical.ok()) return canonical.status();
    directories.default_directory_ = *canonical;
    tier = WithDirectory(*tier, *canonical);
  }
  if (!tier.ok()) return tier.status();
  directories.default_tier_ = tier->text;
  return directories;
}

absl::StatusOr<std::string> SlowDirectories::TierFor(const std::string& spec,
                                                     const Peer& peer) const {
  const absl::StatusOr<TierSpec> asked = ParseTierSpec(spec);
  if (!asked.ok()) return asked.status();
  if (!NamesDirectory(*asked)) return spec;
  const absl::StatusOr<std::string> canonical = Canonical(asked->argument);
  // A job does not learn what is in a directory where it may not look.
  const absl::StatusOr<TierSpec> tier = WithDirectory(
      *asked, canonical.ok() ? *canonical : AlmostCanonical(asked->argument));
  if (!tier.ok()) return tier.status();
  if (absl::Status s = CheckAllowed(*tier, peer); !s.ok()) return s;
  if (!canonical.ok()) return canonical.status();
  return tier->text;
}

absl::Status SlowDirectories::CheckAllowed(const TierSpec& tier,
                                           const Peer& peer) const {
  const std::string& directory = tier.argument;
  if (directory == default_directory_) return absl::OkStatus();
  const bool allowed = absl::c_any_of(allowed_, [&](const std::string& root) {
    return IsInOrBelow(directory, root);
  });
  if (allowed) return CheckMayMakeFiles(peer, directory);
  std::vector<std::string> usable = allowed_;
  if (!default_directory_.empty()) usable.push_back(default_directory_);
  return absl::PermissionDeniedError(absl::StrCat(
      "the agent lets no job use '", directory, "'; ",
      usable.empty()
          ? "name a tier without a directory"
          : absl::StrCat("name one of ", absl::StrJoin(usable, ", ")),
      ", or let the agent be started with --slow-dir ", directory));
}

}  // namespace stowage::agent
