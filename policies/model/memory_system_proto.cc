#include "policies/model/memory_system_proto.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/field_check.h"
#include "policies/model/name.h"

namespace stowage::policies {
namespace {

constexpr int kMaxTiers = 16;
constexpr int kMaxCurvePoints = 1024;
constexpr int64_t kMaxBytes = int64_t{1} << 60;
constexpr int64_t kMaxFlops = int64_t{1} << 60;
constexpr double kMaxSlowdown = 16;
constexpr double kLeastBothWaysShare = 0.01;
constexpr int64_t kMaxLatencyNs = 1'000'000'000'000;  // 1000 s

absl::Status CheckPointCount(const std::string& field, int count) {
  if (count >= 1 && count <= kMaxCurvePoints) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      field, " has ", count, " points; give 1 to ", kMaxCurvePoints));
}

// Checks that a curve's positions ascend and its bandwidths are positive.
// `position` reads the x coordinate of a point.
template <typename Points, typename Position>
absl::Status CheckCurve(const std::string& field, const Points& points,
                        Position position) {
  absl::Status status = CheckPointCount(field, points.size());
  int64_t previous = 0;
  for (int i = 0; status.ok() && i < points.size(); ++i) {
    const std::string place = absl::StrCat(field, "[", i, "]");
    if (position(points[i]) <= previous) {
      return RefuseField(place, absl::StrCat("at ", position(points[i])),
                         "points must be positive and ascend");
    }
    previous = position(points[i]);
    status = CheckRange(absl::StrCat(place, ".bytes_per_second"),
                        points[i].bytes_per_second(), 1, kMaxBytes);
  }
  return status;
}

int32_t Threads(const v1::BandwidthPoint& point) { return point.threads(); }
int64_t Buffer(const v1::CopyPoint& point) { return point.buffer_bytes(); }

bool IsPageSize(int64_t bytes) {
  return bytes == 0 || (bytes > 0 && (bytes & (bytes - 1)) == 0);
}

absl::Status CheckTierNumbers(const std::string& place, const v1::Tier& tier) {
  absl::Status status;
  status.Update(CheckRange(place + ".capacity_bytes", tier.capacity_bytes(), 0,
                           kMaxBytes));
  status.Update(CheckRange(place + ".read_latency_ns", tier.read_latency_ns(),
                           0, kMaxLatencyNs));
  status.Update(CheckRange(place + ".write_latency_ns", tier.write_latency_ns(),
                           0, kMaxLatencyNs));
  status.Update(CheckRange(place + ".copy_write_threads",
                           tier.copy_write_threads(), 0, 4096));
  status.Update(CheckRange(place + ".copy_read_threads",
                           tier.copy_read_threads(), 0, 4096));
  if (!IsPageSize(tier.page_bytes())) {
    status.Update(RefuseField(place + ".page_bytes", tier.page_bytes(),
                              "it must be a power of two, or 0 for 4096"));
  }
  if (!std::isfinite(tier.price_usd_per_gb()) || tier.price_usd_per_gb() < 0) {
    status.Update(RefuseField(place + ".price_usd_per_gb",
                              tier.price_usd_per_gb(),
                              "it must be a number from 0; 0 means unknown"));
  }
  return status;
}

absl::Status CheckTier(const std::string& place, const v1::Tier& tier) {
  absl::Status status = CheckName(place + ".name", tier.name());
  status.Update(CheckTierNumbers(place, tier));
  status.Update(CheckCurve(place + ".read", tier.read(), Threads));
  status.Update(CheckCurve(place + ".write", tier.write(), Threads));
  if (tier.addressable() && tier.streamable()) {
    status.Update(
        RefuseField(place + ".streamable", "true",
                    "an addressable tier needs no streaming; clear it"));
  }
  return status;
}

absl::Status CheckTiers(const v1::MemorySystem& proto) {
  if (proto.tiers_size() < 2 || proto.tiers_size() > kMaxTiers) {
    return absl::InvalidArgumentError(
        absl::StrCat("tiers has ", proto.tiers_size(), " entries; give 2 to ",
                     kMaxTiers, ", fast to slow"));
  }
  absl::Status status;
  std::set<std::string> names;
  for (int i = 0; i < proto.tiers_size(); ++i) {
    const std::string place = absl::StrCat("tiers[", i, "]");
    status.Update(CheckTier(place, proto.tiers(i)));
    if (!names.insert(proto.tiers(i).name()).second) {
      status.Update(
          RefuseField(place + ".name", "'" + proto.tiers(i).name() + "'",
                      "another tier has that name; choose a new one"));
    }
  }
  if (!proto.tiers(0).addressable()) {
    status.Update(RefuseField("tiers[0].addressable", "false",
                              "kernels run from the first tier; set it"));
  }
  return status;
}

absl::Status CheckSlowdown(const std::string& field, double slowdown) {
  if (slowdown >= 0 && slowdown <= kMaxSlowdown) return absl::OkStatus();
  return RefuseField(field, slowdown,
                     absl::StrCat("it must be from 0 to ", kMaxSlowdown));
}

absl::Status CheckBothWaysShare(const std::string& field, double share) {
  if (share == 0 || (share >= kLeastBothWaysShare && share <= 1)) {
    return absl::OkStatus();
  }
  return RefuseField(field, share,
                     absl::StrCat("it must be from ", kLeastBothWaysShare,
                                  " to 1; 0 means that it is not known"));
}

absl::Status CheckCopies(const v1::MemorySystem& proto) {
  absl::Status status;
  std::set<std::pair<int, int>> pairs;
  for (int i = 0; i < proto.copies_size() && status.ok(); ++i) {
    const std::string place = absl::StrCat("copies[", i, "]");
    const v1::CopyCurve& curve = proto.copies(i);
    const int last = proto.tiers_size() - 1;
    status.Update(CheckRange(place + ".from_tier", curve.from_tier(), 0, last));
    status.Update(CheckRange(place + ".to_tier", curve.to_tier(), 0, last));
    status.Update(
        CheckRange(place + ".setup_ns", curve.setup_ns(), 0, kMaxLatencyNs));
    status.Update(CheckCurve(place + ".points", curve.points(), Buffer));
    status.Update(
        CheckSlowdown(place + ".slowdown.compute", curve.slowdown().compute()));
    status.Update(
        CheckSlowdown(place + ".slowdown.memory", curve.slowdown().memory()));
    status.Update(CheckBothWaysShare(place + ".both_ways_share",
                                     curve.both_ways_share()));
    const std::pair<int, int> pair(curve.from_tier(), curve.to_tier());
    if (pair.first == pair.second || !pairs.insert(pair).second) {
      status.Update(RefuseField(
          place, absl::StrCat("from tier ", pair.first, " to ", pair.second),
          "give each pair of different tiers at most once"));
    }
  }
  return status;
}

absl::Status Check(const v1::MemorySystem& proto) {
  if (proto.schema_version() != 1) {
    return RefuseField("schema_version", proto.schema_version(),
                       "this version reads schema 1");
  }
  absl::Status status = CheckName("name", proto.name());
  status.Update(CheckRange("processor_flops_per_second",
                           proto.processor_flops_per_second(), 0, kMaxFlops));
  status.Update(CheckTiers(proto));
  if (status.ok()) status.Update(CheckCopies(proto));
  return status;
}

std::vector<BandwidthPoint> CurveFromProto(
    const google::protobuf::RepeatedPtrField<v1::BandwidthPoint>& points) {
  std::vector<BandwidthPoint> curve;
  for (const v1::BandwidthPoint& point : points) {
    curve.push_back({point.threads(), point.bytes_per_second()});
  }
  return curve;
}

Tier TierFromProto(const v1::Tier& proto) {
  Tier tier;
  tier.name = proto.name();
  tier.capacity_bytes = proto.capacity_bytes();
  tier.addressable = proto.addressable();
  tier.streamable = proto.streamable();
  tier.read = CurveFromProto(proto.read());
  tier.write = CurveFromProto(proto.write());
  tier.read_latency_ns = proto.read_latency_ns();
  tier.write_latency_ns = proto.write_latency_ns();
  tier.page_bytes = proto.page_bytes() == 0 ? 4096 : proto.page_bytes();
  tier.price_usd_per_gb = proto.price_usd_per_gb();
  tier.copy_write_threads = std::max(1, proto.copy_write_threads());
  tier.copy_read_threads = std::max(1, proto.copy_read_threads());
  return tier;
}

void CurveToProto(
    const std::vector<BandwidthPoint>& curve,
    google::protobuf::RepeatedPtrField<v1::BandwidthPoint>& proto) {
  for (const BandwidthPoint& point : curve) {
    v1::BandwidthPoint& added = *proto.Add();
    added.set_threads(point.threads);
    added.set_bytes_per_second(point.bytes_per_second);
  }
}

void TierToProto(const Tier& tier, v1::Tier& proto) {
  proto.set_name(tier.name);
  proto.set_capacity_bytes(tier.capacity_bytes);
  proto.set_addressable(tier.addressable);
  proto.set_streamable(tier.streamable);
  CurveToProto(tier.read, *proto.mutable_read());
  CurveToProto(tier.write, *proto.mutable_write());
  proto.set_read_latency_ns(tier.read_latency_ns);
  proto.set_write_latency_ns(tier.write_latency_ns);
  proto.set_page_bytes(tier.page_bytes);
  proto.set_price_usd_per_gb(tier.price_usd_per_gb);
  proto.set_copy_write_threads(tier.copy_write_threads);
  proto.set_copy_read_threads(tier.copy_read_threads);
}

}  // namespace

absl::StatusOr<MemorySystem> MemorySystemFromProto(
    const v1::MemorySystem& proto) {
  absl::Status status = Check(proto);
  if (!status.ok()) return status;
  MemorySystem system;
  system.name = proto.name();
  system.description = proto.description();
  system.processor = proto.processor();
  system.processor_flops_per_second = proto.processor_flops_per_second();
  for (const v1::Tier& tier : proto.tiers()) {
    system.tiers.push_back(TierFromProto(tier));
  }
  for (const v1::CopyCurve& copy : proto.copies()) {
    CopyCurve curve{.from_tier = copy.from_tier(),
                    .to_tier = copy.to_tier(),
                    .points = {},
                    .setup_ns = copy.setup_ns(),
                    .slowdown = {.compute = copy.slowdown().compute(),
                                 .memory = copy.slowdown().memory()}};
    if (copy.both_ways_share() > 0) {
      curve.both_ways_share = copy.both_ways_share();
    }
    for (const v1::CopyPoint& point : copy.points()) {
      curve.points.push_back({point.buffer_bytes(), point.bytes_per_second()});
    }
    system.copies.push_back(std::move(curve));
  }
  return system;
}

v1::MemorySystem MemorySystemToProto(const MemorySystem& system) {
  v1::MemorySystem proto;
  proto.set_schema_version(1);
  proto.set_name(system.name);
  proto.set_description(system.description);
  proto.set_processor(system.processor);
  proto.set_processor_flops_per_second(system.processor_flops_per_second);
  for (const Tier& tier : system.tiers) TierToProto(tier, *proto.add_tiers());
  for (const CopyCurve& curve : system.copies) {
    v1::CopyCurve& copy = *proto.add_copies();
    copy.set_from_tier(curve.from_tier);
    copy.set_to_tier(curve.to_tier);
    copy.set_setup_ns(curve.setup_ns);
    if (curve.slowdown != Slowdown{}) {
      copy.mutable_slowdown()->set_compute(curve.slowdown.compute);
      copy.mutable_slowdown()->set_memory(curve.slowdown.memory);
    }
    if (curve.both_ways_share < 1) {
      copy.set_both_ways_share(curve.both_ways_share);
    }
    for (const CopyPoint& point : curve.points) {
      v1::CopyPoint& added = *copy.add_points();
      added.set_buffer_bytes(point.buffer_bytes);
      added.set_bytes_per_second(point.bytes_per_second);
    }
  }
  return proto;
}

}  // namespace stowage::policies
