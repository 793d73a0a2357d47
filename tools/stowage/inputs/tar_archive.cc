#include "tools/stowage/inputs/tar_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage::cli {
namespace {

constexpr size_t kMagicOffset = 257;
constexpr size_t kMaxListedMembers = 20;

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

struct Member {
  std::string name;
  std::string content;
};

bool Matches(const std::string& name, const std::string& wanted) {
  return wanted.empty() || name == wanted ||
         absl::EndsWith(name, absl::StrCat("/", wanted));
}

absl::Status Damaged(archive* reader) {
  const char* error = archive_error_string(reader);
  return absl::InvalidArgumentError(absl::StrCat(
      "damaged or truncated tar archive: ",
      error == nullptr ? "unknown error" : error, "; copy the file again"));
}

absl::StatusOr<std::string> ReadEntry(archive* reader, size_t limit) {
  std::string content;
  char chunk[1 << 16];
  la_ssize_t got;
  while ((got = archive_read_data(reader, chunk, sizeof(chunk))) > 0) {
    content.append(chunk, got);
    // Sparse members may claim more than the archive holds.
    if (content.size() > limit) return Damaged(reader);
  }
  if (got < 0) return Damaged(reader);
  return content;
}

absl::Status WrongMember(absl::string_view why,
                         const std::vector<std::string>& names) {
  const size_t listed = std::min(names.size(), kMaxListedMembers);
  return absl::InvalidArgumentError(
      absl::StrCat(why, "; choose one with --member: ",
                   absl::StrJoin(names.begin(), names.begin() + listed, ", "),
                   listed < names.size() ? ", ..." : ""));
}

absl::StatusOr<std::string> TheOne(std::vector<Member> found,
                                   const std::string& wanted,
                                   const std::vector<std::string>& names) {
  if (found.size() == 1) return std::move(found.front().content);
  if (!found.empty()) {
    return WrongMember(
        absl::StrCat("the archive has ", found.size(), " such files"), names);
  }
  return WrongMember(
      absl::StrCat("the archive has no file named '", wanted, "'"), names);
}

}  // namespace

bool IsTar(absl::string_view bytes) {
  return bytes.size() > kMagicOffset + 5 &&
         bytes.substr(kMagicOffset, 5) == "ustar";
}

absl::StatusOr<std::string> ExtractMember(absl::string_view bytes,
                                          const std::string& member) {
  Archive reader(archive_read_new(), &archive_read_free);
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) !=
      ARCHIVE_OK) {
    return Damaged(reader.get());
  }
  std::vector<std::string> names;
  std::vector<Member> found;
  archive_entry* entry = nullptr;
  int code;
  while ((code = archive_read_next_header(reader.get(), &entry)) ==
         ARCHIVE_OK) {
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* name = archive_entry_pathname(entry);
    names.push_back(name == nullptr ? "" : name);
    if (!Matches(names.back(), member)) continue;
    absl::StatusOr<std::string> content = ReadEntry(reader.get(), bytes.size());
    if (!content.ok()) return content.status();
    found.push_back({names.back(), *std::move(content)});
  }
  if (code != ARCHIVE_EOF) return Damaged(reader.get());
  return TheOne(std::move(found), member, names);
}

}  // namespace stowage::cli
