#include "server/runtime/state_directory.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

absl::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? absl::string_view() : value;
}

// Returns the directory; empty if the environment names none.
std::string StateDirectory() {
  // systemd lists several directories with colons; the first is ours.
  const absl::string_view systemd = Environment("STATE_DIRECTORY");
  if (!systemd.empty()) {
    return std::string(systemd.substr(0, systemd.find(':')));
  }
  const absl::string_view xdg = Environment("XDG_STATE_HOME");
  if (!xdg.empty()) return absl::StrCat(xdg, "/stowage");
  const absl::string_view home = Environment("HOME");
  return home.empty() ? "" : absl::StrCat(home, "/.local/state/stowage");
}

}  // namespace

absl::StatusOr<std::string> MakeStateDirectory() {
  const std::string directory = StateDirectory();
  if (directory.empty()) {
    return absl::FailedPreconditionError(
        "no place for the database: STATE_DIRECTORY, XDG_STATE_HOME and HOME "
        "are not set; name a file with --db");
  }
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (made && !error) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all,
                                 error);
  }
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make ", directory, ": ", error.message(),
                     "; name a database in another place with --db"));
  }
  return directory;
}

}  // namespace stowage
