#include "policies/layout/cheapest_offset.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

struct Obstacle {
  int64_t offset_bytes = 0;
  int64_t end_bytes = 0;
  double weight = 0;
};

double WeightAt(const std::vector<Obstacle>& obstacles, int64_t offset,
                int64_t bytes) {
  double weight = 0;
  for (const Obstacle& other : obstacles) {
    const bool is_in_the_way =
        other.offset_bytes < offset + bytes && offset < other.end_bytes;
    if (is_in_the_way) weight += other.weight;
  }
  return weight;
}

TEST(CheapestOffsetTest, FindsTheLeastThatAnyOffsetDisplaces) {
  std::mt19937_64 random(1);
  CheapestOffset search;
  for (int n = 0; n < 300; ++n) {
    const auto bytes = static_cast<int64_t>(1 + random() % 20);
    search.Begin(bytes, 40);
    std::vector<Obstacle> obstacles;
    for (uint64_t i = 0; i < random() % 12; ++i) {
      const auto offset = static_cast<int64_t>(random() % 35);
      const auto length = static_cast<int64_t>(1 + random() % 5);
      obstacles.push_back(
          {offset, offset + length, static_cast<double>(1 + random() % 9)});
      search.AddObstacle(offset, offset + length, obstacles.back().weight);
    }
    double least = WeightAt(obstacles, 0, bytes);
    for (int64_t offset = 1; offset + bytes <= 40; ++offset) {
      least = std::min(least, WeightAt(obstacles, offset, bytes));
    }
    const CheapestOffset::Place place = search.Find();
    ASSERT_EQ(place.weight, least) << n;
    ASSERT_EQ(WeightAt(obstacles, place.offset_bytes, bytes), least) << n;
    ASSERT_LE(place.offset_bytes + bytes, 40) << n;
  }
}

}  // namespace
}  // namespace stowage::policies
