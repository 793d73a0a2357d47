#include "agents/tiers/tier_spec.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client_sdk/session/setup_messages.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

constexpr absl::string_view kForms =
    "dram, dram:NODE, pmem:DIR, numa:NODE, file:DIR or emulated:MEDIUM, "
    "each with an optional ,size=SIZE";
constexpr std::array<absl::string_view, 5> kKinds = {"dram", "pmem", "numa",
                                                     "file", "emulated"};

absl::Status Refuse(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("tier '", text, "': ", why, "; use ", kForms));
}

}  // namespace

absl::StatusOr<TierSpec> ParseTierSpec(absl::string_view text) {
  TierSpec spec{.text = std::string(text)};
  const std::pair<std::string, std::string> place_and_option =
      absl::StrSplit(text, absl::MaxSplits(",size=", 1));
  const auto& [place, size] = place_and_option;
  std::pair<std::string, std::string> kind_and_argument =
      absl::StrSplit(place, absl::MaxSplits(':', 1));
  spec.kind = std::move(kind_and_argument.first);
  spec.argument = std::move(kind_and_argument.second);
  if (!absl::c_linear_search(kKinds, spec.kind)) {
    return Refuse(text, absl::StrCat("unknown kind '", spec.kind, "'"));
  }
  if (spec.argument.empty() && spec.kind != "dram") {
    return Refuse(text, "what follows the ':' is missing");
  }
  if (place.size() != text.size()) {
    const std::optional<int64_t> bytes = session::ParseSize(size);
    if (!bytes) {
      return Refuse(
          text, absl::StrCat("size '", size, "' is not ", session::kSizeForms));
    }
    if (*bytes > 0 && *bytes < session::kPageBytes) {
      return Refuse(text,
                    absl::StrCat("size '", size, "' is less than a page of ",
                                 session::kPageBytes, " bytes"));
    }
    spec.size_bytes = *bytes;
  }
  return spec;
}

bool NamesDirectory(const TierSpec& spec) {
  return spec.kind == "file" || spec.kind == "pmem";
}

}  // namespace stowage::agent
