#include "server/retention/victims.h"

#include <algorithm>
#include <utility>

namespace stowage {

std::vector<std::string> VictimsOf(std::vector<KeptItem> items,
                                   const KeptBounds& bounds) {
  auto rows = static_cast<int64_t>(items.size());
  int64_t size_bytes = 0;
  for (const KeptItem& item : items) size_bytes += item.size_bytes;
  std::sort(
      items.begin(), items.end(), [](const KeptItem& a, const KeptItem& b) {
        return std::pair(a.used_at_ms, a.id) < std::pair(b.used_at_ms, b.id);
      });
  std::vector<std::string> victims;
  for (KeptItem& item : items) {
    if (rows <= bounds.rows && size_bytes <= bounds.size_bytes) break;
    if (item.is_protected) continue;
    --rows;
    size_bytes -= item.size_bytes;
    victims.push_back(std::move(item.id));
  }
  return victims;
}

}  // namespace stowage
