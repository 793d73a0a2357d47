#include "server/runtime/port_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {

absl::Status WritePortFile(const std::string& path,
                           const std::vector<std::string>& addresses) {
  const std::string draft = absl::StrCat(path, ".tmp");
  std::ofstream file(draft, std::ios::trunc);
  for (const std::string& address : addresses) file << address << "\n";
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(draft, path, error);
  if (file && !error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write the port file ", path,
                   error ? absl::StrCat(": ", error.message()) : "",
                   "; name a writable path with --port-file"));
}

}  // namespace stowage
