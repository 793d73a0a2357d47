#include "policies/heat/heat_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/heat/weight_adjustment.h"
#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

// Keeps the living movable tensors of one kernel after the other.
class LivingTensors {
 public:
  explicit LivingTensors(const Graph& graph)
      : graph_(graph),
        births_(BirthsByKernel(graph)),
        deaths_(graph.kernels.size()) {
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const Tensor& tensor = graph.tensors[t];
      if (!tensor.movable()) continue;
      if (tensor.alive_at_start()) Add(t);
      if (!tensor.persistent) deaths_[tensor.death_kernel].push_back(t);
    }
  }

  // Goes on to `kernel`: 0, 1, 2, ...
  void Enter(KernelIndex kernel) {
    if (kernel > 0) {
      for (TensorIndex t : deaths_[kernel - 1]) {
        if (living_.erase(t) > 0) bytes_ -= BytesOf(t);
      }
    }
    for (TensorIndex t : births_[kernel]) {
      if (graph_.tensors[t].movable()) Add(t);
    }
  }

  const std::set<TensorIndex>& living() const { return living_; }
  int64_t bytes() const { return bytes_; }
  int64_t BytesOf(TensorIndex t) const {
    return RoundUpToPlacement(graph_.tensors[t].size_bytes);
  }

 private:
  void Add(TensorIndex t) {
    if (living_.insert(t).second) bytes_ += BytesOf(t);
  }

  const Graph& graph_;
  const Groups births_;
  std::vector<std::vector<TensorIndex>> deaths_;
  std::set<TensorIndex> living_;
  int64_t bytes_ = 0;
};

uint8_t Logarithm(double value, double whole) {
  const double share = std::log2(1 + value) / std::log2(2 + whole);
  return static_cast<uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

std::array<uint8_t, 4> Logarithms(const Characteristics& c, double kernels,
                                  double room_bytes) {
  return {Logarithm(c.frequency, kernels), Logarithm(c.distance, kernels),
          Logarithm(c.size, room_bytes), Logarithm(c.lifetime, kernels)};
}

double SumOf(const HeatWeights& weights) {
  return weights.frequency + weights.distance + weights.size + weights.lifetime;
}

HeatSettings Kept(const HeatWeights& weights) {
  return {.weights = weights, .adjust = false};
}

absl::Status TooMany(const Graph& graph) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "graph '", graph.name, "' has more than ", kMaxHeatEntries,
      " decisions (living tensors at kernels short of fast memory); raise the "
      "fast limit, or use a policy that needs no heat, as annealed-search"));
}

}  // namespace

HeatSettings FrequencyAlone() {
  return Kept({.frequency = 1, .distance = 0, .size = 0, .lifetime = 0});
}

HeatSettings RecencyAlone() {
  return Kept({.frequency = 0, .distance = 1, .size = 0, .lifetime = 0});
}

HeatSettings SizeAlone() {
  return Kept({.frequency = 0, .distance = 0, .size = 1, .lifetime = 0});
}

HeatSettings LifetimeAlone() {
  return Kept({.frequency = 0, .distance = 0, .size = 0, .lifetime = 1});
}

absl::StatusOr<HeatTable> MakeHeatTable(const Graph& graph,
                                        const std::vector<int64_t>& room_bytes,
                                        const HeatSettings& settings,
                                        const Cancellation& cancellation) {
  const AccessIndex accesses(graph);
  LivingTensors living(graph);
  HeatTable table;
  table.rows.resize(graph.kernels.size());
  HeatWeights weights = settings.weights;
  int64_t entries = 0;
  std::vector<Characteristics> characteristics;
  std::vector<int64_t> bytes;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    if (cancellation.IsCancelled()) return cancellation.Check();
    living.Enter(k);
    if (living.bytes() <= room_bytes[k]) continue;
    entries += static_cast<int64_t>(living.living().size());
    if (entries > kMaxHeatEntries) return TooMany(graph);
    characteristics.clear();
    bytes.clear();
    for (TensorIndex t : living.living()) {
      characteristics.push_back(FindCharacteristics(graph, accesses, t, k));
      bytes.push_back(living.BytesOf(t));
    }
    std::vector<HeatTable::Entry>& row = table.rows[k];
    for (TensorIndex t : living.living()) {
      row.push_back({t, 0,
                     Logarithms(characteristics[row.size()],
                                graph.kernel_count(), room_bytes[k])});
    }
    NormaliseMinMax(characteristics);
    if (settings.adjust) {
      const WeightAdjustment adjusted =
          AdjustWeights(characteristics, bytes, room_bytes[k], weights);
      weights = adjusted.weights;
      table.adjustments += adjusted.adjustments;
    }
    const double scale = 1 / SumOf(weights);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i].heat =
          static_cast<float>(scale * Heat(characteristics[i], weights));
    }
  }
  return table;
}

}  // namespace stowage::policies
