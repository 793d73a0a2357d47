// Computes the heat of every living tensor at every kernel that is short of
// fast memory.
//
//   absl::StatusOr<HeatTable> table = MakeHeatTable(graph, limits, {});
//   for (const HeatTable::Entry& entry : table->rows[k]) Use(entry.heat);
//
// Heat depends on the graph and the limit alone, not on where tensors are. So
// it is computed once, and every episode of a training uses it.
#ifndef STOWAGE_POLICIES_HEAT_HEAT_TABLE_H_
#define STOWAGE_POLICIES_HEAT_HEAT_TABLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/heat/heat.h"
#include "policies/model/graph.h"
#include "policies/plan/cancellation.h"

namespace stowage::policies {

struct HeatSettings {
  HeatWeights weights;  // of the first kernel
  // Runs Algorithm 1; false keeps the weights (the study of figure 4).
  bool adjust = true;
};

// Return the settings of the four single characteristics of figure 4: a weight
// of 1 for one and 0 for the others, never adjusted.
HeatSettings FrequencyAlone();
HeatSettings RecencyAlone();
HeatSettings SizeAlone();
HeatSettings LifetimeAlone();

struct HeatTable {
  struct Entry {
    TensorIndex tensor = 0;
    // H over the sum of the weights: -1..1. A tensor is hot from 0 on.
    float heat = 0;
    // f, r, s and l as logarithms: 0 stands for none, 255 for as many accesses
    // or kernels as the step has kernels, or for as many bytes as there is
    // room.
    std::array<uint8_t, 4> logarithms = {};
  };
  // By kernel: its living movable tensors, by index. Empty if all of them fit.
  std::vector<std::vector<Entry>> rows;
  // The steps of Algorithm 1 in all.
  int64_t adjustments = 0;
};

// MakeHeatTable refuses larger tables (384 MiB).
inline constexpr int64_t kMaxHeatEntries = int64_t{1} << 25;

// Makes the table. `room_bytes` are by kernel what the fast tier has for
// movable tensors (L_D). Fails with RESOURCE_EXHAUSTED above kMaxHeatEntries,
// and with CANCELLED.
absl::StatusOr<HeatTable> MakeHeatTable(const Graph& graph,
                                        const std::vector<int64_t>& room_bytes,
                                        const HeatSettings& settings,
                                        const Cancellation& cancellation = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_HEAT_TABLE_H_
