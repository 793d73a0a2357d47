#include "server/rpc/page.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stowage {
namespace {

constexpr int kDefaultPageSize = 100;

std::string Prefix(absl::string_view list) { return absl::StrCat(list, "/"); }

}  // namespace

absl::StatusOr<Page> ParsePage(absl::string_view list, int32_t page_size,
                               absl::string_view page_token) {
  Page page = {.size = page_size == 0 ? kDefaultPageSize : page_size};
  if (page_token.empty()) return page;
  std::string decoded;
  absl::string_view key;
  if (absl::WebSafeBase64Unescape(page_token, &decoded)) key = decoded;
  if (!absl::ConsumePrefix(&key, Prefix(list)) || key.empty()) {
    return absl::InvalidArgumentError(
        "page_token is not one of this list's; start without one");
  }
  page.after = std::string(key);
  return page;
}

std::string PageToken(absl::string_view list, absl::string_view last_key) {
  return absl::WebSafeBase64Escape(absl::StrCat(Prefix(list), last_key));
}

}  // namespace stowage
