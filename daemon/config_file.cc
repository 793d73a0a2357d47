#include "daemon/config_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

absl::Status Malformed(const std::string& path, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  // A directory opens, and only reading it fails.
  if (!file.read(text.data(), text.size()) && !file.eof()) {
    return absl::NotFoundError(absl::StrCat(
        "the configuration file ", path, " cannot be read: ",
        std::strerror(errno), "; correct --config or make the file readable"));
  }
  text.resize(file.gcount());
  if (text.size() > kMaxBytes) {
    return Malformed(path, "it has more than 1 MiB; is it the right file?");
  }
  return text;
}

// The reader removes quotes around values. One that is left had no end.
bool HasOpenQuote(const std::string& value) {
  return absl::StartsWith(value, "\"") || absl::StartsWith(value, "'");
}

absl::Status Check(const std::string& path, const CLI::ConfigItem& item) {
  if (!item.parents.empty()) {
    return Malformed(path, absl::StrCat("section [", item.parents.front(),
                                        "] is unknown; remove it, since there "
                                        "are only lines of name = value"));
  }
  if (std::any_of(item.inputs.begin(), item.inputs.end(), HasOpenQuote)) {
    return Malformed(
        path, absl::StrCat("the value of ", item.name,
                           " begins with a quote and does not end with one; "
                           "add it, and leave '#' out, which begins a comment "
                           "also between quotes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<FileEntry>> ReadConfigFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  std::istringstream stream(*text);
  std::vector<FileEntry> entries;
  try {
    for (CLI::ConfigItem& item : CLI::ConfigBase().from_config(stream)) {
      if (absl::Status s = Check(path, item); !s.ok()) return s;
      entries.push_back(
          {.name = std::move(item.name), .values = std::move(item.inputs)});
    }
  } catch (const CLI::Error& error) {
    return Malformed(path, error.what());
  }
  return entries;
}

}  // namespace stowage
