#include "tools/stowage/calibrate/calibration_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

// Returns gigabytes a second with three digits: "12.3 GB/s", "0.0812 GB/s".
std::string Bandwidth(int64_t bytes_per_second) {
  return absl::StrFormat("%.3g GB/s",
                         static_cast<double>(bytes_per_second) / 1e9);
}

const v1::CopyCurve& Out(const v1::MemorySystem& system) {
  return system.copies(0);
}
const v1::CopyCurve& In(const v1::MemorySystem& system) {
  return system.copies(1);
}

std::string TierLine(const v1::Tier& tier) {
  return absl::StrCat(tier.name(), ": a thread reads ",
                      Bandwidth(tier.read(0).bytes_per_second()),
                      " and writes ",
                      Bandwidth(tier.write(0).bytes_per_second()), "\n");
}

std::string SlowdownLine(const char* beside, const v1::Slowdown& slowdown) {
  return absl::StrFormat(
      "beside copies %s, kernels that compute take %.2f times as long, and "
      "those that only use memory %.2f times\n",
      beside, 1 + slowdown.compute(), 1 + slowdown.memory());
}

std::string BothWaysLine(const v1::MemorySystem& system) {
  return absl::StrFormat(
      "both ways at once, copies out keep %.0f %% of their bandwidth, and "
      "copies in %.0f %%\n",
      100 * Out(system).both_ways_share(), 100 * In(system).both_ways_share());
}

}  // namespace

std::string CalibrationToText(const v1::MemorySystem& system,
                              const std::vector<agent::BothWays>& both_ways) {
  Table table({"copy", "out", "in", "out beside in", "in beside out"});
  for (size_t i = 0; i < both_ways.size(); ++i) {
    const int at = static_cast<int>(i);
    table.AddRow({FormatBytes(both_ways[i].buffer_bytes),
                  Bandwidth(Out(system).points(at).bytes_per_second()),
                  Bandwidth(In(system).points(at).bytes_per_second()),
                  Bandwidth(both_ways[i].out_bytes_per_second),
                  Bandwidth(both_ways[i].in_bytes_per_second)});
  }
  return absl::StrCat(TierLine(system.tiers(0)), TierLine(system.tiers(1)),
                      "a move takes ", FormatDurationNs(Out(system).setup_ns()),
                      " beside its copy\n",
                      SlowdownLine("out", Out(system).slowdown()),
                      SlowdownLine("in", In(system).slowdown()),
                      BothWaysLine(system), "\n", table.ToText());
}

nlohmann::json CalibrationToJson(
    const v1::MemorySystem& system,
    const std::vector<agent::BothWays>& both_ways) {
  nlohmann::json sizes = nlohmann::json::array();
  for (size_t i = 0; i < both_ways.size(); ++i) {
    const agent::BothWays& both = both_ways[i];
    const int at = static_cast<int>(i);
    sizes.push_back(
        {{"buffer_bytes", both.buffer_bytes},
         {"out_bytes_per_second", Out(system).points(at).bytes_per_second()},
         {"in_bytes_per_second", In(system).points(at).bytes_per_second()},
         {"out_both_ways_bytes_per_second", both.out_bytes_per_second},
         {"in_both_ways_bytes_per_second", both.in_bytes_per_second}});
  }
  return {{"title", system.name()},
          {"fast", system.tiers(0).name()},
          {"slow", system.tiers(1).name()},
          {"sizes", sizes}};
}

}  // namespace stowage::cli
