#include "tools/stowage/import/traced_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stowage::cli {
namespace {

// Returns the device whose storages have the most bytes, on which the model
// trains.
std::string MainDevice(const std::vector<StorageInstance>& instances) {
  // Sizes of a trace may add up to more than an integer holds.
  std::map<std::string, double> bytes;
  for (const StorageInstance& instance : instances) {
    bytes[instance.device] += static_cast<double>(instance.size_bytes());
  }
  const auto most = std::max_element(
      bytes.begin(), bytes.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? "" : most->first;
}

bool WritesSomething(const CallEffects& effects) {
  return std::any_of(effects.begin(), effects.end(),
                     [](const auto& effect) { return effect.second.write; });
}

}  // namespace

TracedKernels FindKernels(const ExecutionTrace& trace) {
  TracedKernels result{.calls = OutermostCalls(trace)};
  StorageHistory history(trace);
  std::vector<CallEffects> effects;
  for (const OperatorCall& call : result.calls) {
    effects.push_back(history.Apply(call));
  }
  result.instances = history.instances();
  result.device = MainDevice(result.instances);
  result.other_device_tensors = std::count_if(
      result.instances.begin(), result.instances.end(),
      [&](const StorageInstance& s) { return s.device != result.device; });
  for (int c = 0; c < std::ssize(result.calls); ++c) {
    if (!WritesSomething(effects[c])) {
      ++result.skipped_views;
      continue;
    }
    std::erase_if(effects[c], [&](const auto& effect) {
      return result.instances[effect.first].device != result.device;
    });
    if (WritesSomething(effects[c])) {
      result.kernels.push_back({.call = c, .effects = std::move(effects[c])});
    } else {
      ++result.skipped_other_device;
    }
  }
  return result;
}

KernelRange KernelsOf(const Iteration& iteration, const ExecutionTrace& trace,
                      const TracedKernels& kernels) {
  const auto first_at = [&](int64_t id) {
    const auto at = std::partition_point(
        kernels.kernels.begin(), kernels.kernels.end(),
        [&](const TracedKernel& kernel) {
          return trace.nodes[kernels.calls[kernel.call].node].id < id;
        });
    return static_cast<int>(at - kernels.kernels.begin());
  };
  return {first_at(iteration.begin_id), first_at(iteration.end_id)};
}

}  // namespace stowage::cli
