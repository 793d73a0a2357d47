// Divides lists into pages of bounded rows and bytes. A page token names the
// list and the key of the last entry sent, so that pages stay right while
// entries come and go.
//
//   absl::StatusOr<Page> page = ParsePage("graphs", size, token);
//   std::vector<v1::GraphSummary> rows =
//       *store->ListGraphs(page->after, page->size + 1);  // one to look ahead
//   if (TrimToPage(*page, &rows)) {
//     token = PageToken("graphs", rows.back().graph_id());
//   }
#ifndef STOWAGE_SERVER_RPC_PAGE_H_
#define STOWAGE_SERVER_RPC_PAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

// The most bytes of the rows of a page. This is far below the 4 MiB that gRPC's
// clients accept by default, and a row is a small part of it.
inline constexpr size_t kMaxPageBytes = 1 << 20;

struct Page {
  int size = 0;       // 1..1000
  std::string after;  // key of the last entry sent; empty on the first page
};

// Returns the page that a request asks for. `page_size` is 0 (100 rows) or
// more. INVALID_ARGUMENT: PageToken() has not made the token for this list.
absl::StatusOr<Page> ParsePage(absl::string_view list, int32_t page_size,
                               absl::string_view page_token);

std::string PageToken(absl::string_view list, absl::string_view last_key);

// Drops the rows beyond the page: the one that was read to look ahead, and
// those with which the page would exceed kMaxPageBytes. The first row always
// stays. Returns whether it dropped any, that is, whether another page follows.
template <typename Row>
bool TrimToPage(const Page& page, std::vector<Row>* rows) {
  const size_t most = std::min(rows->size(), static_cast<size_t>(page.size));
  size_t bytes = 0;
  size_t count = 0;
  while (count < most) {
    bytes += (*rows)[count].ByteSizeLong();
    if (count > 0 && bytes > kMaxPageBytes) break;
    ++count;
  }
  if (count == rows->size()) return false;
  rows->resize(count);
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_PAGE_H_
