// Decides what has to go for the rest to be within bounds.
//
//   std::vector<std::string> ids =
//       VictimsOf(graphs, {.rows = 10'000, .size_bytes = int64_t{64} << 30});
#ifndef STOWAGE_SERVER_RETENTION_VICTIMS_H_
#define STOWAGE_SERVER_RETENTION_VICTIMS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace stowage {

// Something that is kept. Plain data.
struct KeptItem {
  std::string id;
  int64_t size_bytes = 0;
  int64_t used_at_ms = 0;     // since 1970
  bool is_protected = false;  // it stays, whatever it takes
};

struct KeptBounds {
  int64_t rows = 0;
  int64_t size_bytes = 0;
};

// Returns the ids of those that go: the ones used longest ago, as few as leave
// the rest within both bounds. Protected ones count, and never go. A pure
// function.
std::vector<std::string> VictimsOf(std::vector<KeptItem> items,
                                   const KeptBounds& bounds);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RETENTION_VICTIMS_H_
