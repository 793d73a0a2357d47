#include "policies/swap/cache_model.h"

namespace stowage::policies {

CacheModel::CacheModel(int64_t capacity_bytes, int64_t page_bytes)
    : page_bytes_(page_bytes), lines_(capacity_bytes / page_bytes) {}

void CacheModel::Access(int64_t address, int64_t bytes, bool write) {
  const int64_t first = address / page_bytes_;
  const int64_t last = (address + bytes - 1) / page_bytes_;
  for (int64_t page = first; page <= last; ++page) {
    if (lines_.empty()) {
      (write ? traffic_.written_back_bytes : traffic_.filled_bytes) +=
          page_bytes_;
      continue;
    }
    Line& line = lines_[page % static_cast<int64_t>(lines_.size())];
    if (line.page == page) {
      traffic_.hit_bytes += page_bytes_;
    } else {
      if (line.dirty) traffic_.written_back_bytes += page_bytes_;
      traffic_.filled_bytes += page_bytes_;
      line = {page, false};
    }
    line.dirty |= write;
  }
}

}  // namespace stowage::policies
