// Finds where something can be placed so that its obstacles weigh least.
//
//   CheapestOffset search;
//   search.Begin(bytes, capacity_bytes);
//   search.AddObstacle(/*offset_bytes=*/0, /*end_bytes=*/4096, /*weight=*/2);
//   const CheapestOffset::Place place = search.Find();
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_LAYOUT_CHEAPEST_OFFSET_H_
#define STOWAGE_POLICIES_LAYOUT_CHEAPEST_OFFSET_H_

#include <cstdint>
#include <vector>

namespace stowage::policies {

class CheapestOffset {
 public:
  struct Place {
    int64_t offset_bytes = 0;
    double weight = 0;
  };

  // Begins a search for `bytes` below `capacity_bytes`, of which there are at
  // least as many.
  void Begin(int64_t bytes, int64_t capacity_bytes);

  // Adds an obstacle at offset .. end-1; weights count in whole numbers.
  void AddObstacle(int64_t offset_bytes, int64_t end_bytes, double weight);

  // Returns the lowest such place. O(n log n).
  Place Find();

 private:
  // Holds where an obstacle begins to be in the way, or stops.
  struct Edge {
    int64_t offset_bytes = 0;
    double weight = 0;
  };

  int64_t bytes_ = 0;
  int64_t capacity_bytes_ = 0;
  double weight_at_0_ = 0;
  std::vector<Edge> edges_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_CHEAPEST_OFFSET_H_
