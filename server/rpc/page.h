// Pages of lists. A page token names the list and the key of the last entry
// sent, so that pages stay right while entries come and go.
//
//   absl::StatusOr<Page> page = ParsePage("graphs", size, token);
//   rows = store->ListGraphs(page->after, page->size + 1);  // one to look ahead
//   if (TrimToPage(*page, &rows)) {
//     token = PageToken("graphs", rows.back().id());
//   }
#ifndef STOWAGE_SERVER_RPC_PAGE_H_
#define STOWAGE_SERVER_RPC_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

struct Page {
  int size = 0;       // 1..1000
  std::string after;  // key of the last entry sent; empty on the first page
};

// INVALID_ARGUMENT: a size outside 0..1000 (0 means 100), or a token that
// PageToken did not make for this list.
absl::StatusOr<Page> ParsePage(absl::string_view list, int32_t page_size,
                               absl::string_view page_token);

std::string PageToken(absl::string_view list, absl::string_view last_key);

// Drops the row that was read to look ahead; true when there was one, that is,
// when another page follows.
template <typename Row>
bool TrimToPage(const Page& page, std::vector<Row>* rows) {
  if (rows->size() <= static_cast<size_t>(page.size)) return false;
  rows->resize(page.size);
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_PAGE_H_
