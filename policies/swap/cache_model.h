// Models a direct-mapped write-back cache with write-allocate, as the memory
// controller runs it in Optane's memory mode (AutoTM 2.2, "2LM").
//
//   CacheModel cache(dram_bytes, 4096);
//   cache.Access(/*address=*/0, /*bytes=*/1 << 20, /*write=*/true);
//
// The hardware's blocks have 64 bytes. A tensor is contiguous and is swept from
// end to end, so that all blocks of a page fare alike, and tags are kept by
// page. Not thread-safe.
#ifndef STOWAGE_POLICIES_SWAP_CACHE_MODEL_H_
#define STOWAGE_POLICIES_SWAP_CACHE_MODEL_H_

#include <cstdint>
#include <vector>

namespace stowage::policies {

class CacheModel {
 public:
  // Counts bytes since the last ResetTraffic.
  struct Traffic {
    int64_t hit_bytes = 0;
    int64_t filled_bytes = 0;        // read from the slow tier
    int64_t written_back_bytes = 0;  // written to the slow tier
  };

  // Makes an empty cache. `page_bytes` > 0. If the capacity is less than a
  // page, every access misses.
  CacheModel(int64_t capacity_bytes, int64_t page_bytes);

  // Sweeps `bytes` from `address` on. `address` is one of the slow tier, >= 0.
  void Access(int64_t address, int64_t bytes, bool write);

  const Traffic& traffic() const { return traffic_; }
  void ResetTraffic() { traffic_ = {}; }

 private:
  struct Line {
    int64_t page = -1;  // -1: empty
    bool dirty = false;
  };

  int64_t page_bytes_;
  std::vector<Line> lines_;  // the set of page p is p modulo their number
  Traffic traffic_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_CACHE_MODEL_H_
