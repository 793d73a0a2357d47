#include <functional>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

v1::MemorySystem FileProto() {
  return MemorySystemToProto(*PresetMemorySystem("file"));
}

TEST(PresetsTest, EveryPresetIsValidAndDescribed) {
  for (const std::string& name : PresetNames()) {
    const absl::StatusOr<MemorySystem> system = PresetMemorySystem(name);
    ASSERT_TRUE(system.ok()) << name << ": " << system.status();
    EXPECT_EQ(system->name, name);
    EXPECT_FALSE(system->description.empty()) << name;
  }
}

TEST(PresetsTest, HasTheTestbedsOfThePapers) {
  EXPECT_THAT(PresetNames(),
              AllOf(Contains("optane"), Contains("autotm"), Contains("redl"),
                    Contains("cxl"), Contains("gpu-pcie"), Contains("g10-a100"),
                    Contains("file")));
  const MemorySystem optane = *PresetMemorySystem("optane");
  EXPECT_EQ(optane.tiers[0].capacity_bytes, 128'000'000'000);
  EXPECT_EQ(optane.tiers[1].capacity_bytes, 512'000'000'000);
  EXPECT_EQ(optane.tiers[1].read_latency_ns, 5570);
  EXPECT_EQ(optane.tiers[1].write_latency_ns, 14490);
  EXPECT_EQ(optane.tiers[1].copy_write_threads, 8);
  EXPECT_DOUBLE_EQ(optane.tiers[0].price_usd_per_gb, 23.81);
  EXPECT_TRUE(PresetMemorySystem("file")->tiers[1].streamable);
  EXPECT_FALSE(HasAddressableSlowTier(*PresetMemorySystem("g10-a100")));
}

TEST(PresetsTest, AnUnknownNameListsThoseThereAre) {
  const absl::Status status = PresetMemorySystem("optan").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("optane"));
}

TEST(MemorySystemTest, InterpolatesTheCopyCurve) {
  MemorySystem system = *PresetMemorySystem("file");
  system.copies = {{0, 1, {{1000, 1'000'000'000}, {3000, 3'000'000'000}}, 50}};
  EXPECT_EQ(system.CopyDurationNs(0, 1, 500), 50 + 500);
  EXPECT_EQ(system.CopyDurationNs(0, 1, 2000), 50 + 1000);
  EXPECT_EQ(system.CopyDurationNs(0, 1, 6000), 50 + 2000);
}

TEST(MemorySystemTest, DerivesUnlistedPairsFromTheSlowerSide) {
  MemorySystem system = *PresetMemorySystem("redl");
  EXPECT_EQ(system.CopyDurationNs(0, 1, 19'000'000), 1'000'000);
}

TEST(MemorySystemTest, CopyTimesStayFiniteForHugeCopies) {
  MemorySystem system = *PresetMemorySystem("file");
  system.copies = {{0, 1, {{1, 1}}, 0}};
  EXPECT_GT(system.CopyDurationNs(0, 1, int64_t{1} << 50), 0);
}

TEST(MemorySystemProtoTest, SurvivesARoundTrip) {
  for (const std::string& name : PresetNames()) {
    const v1::MemorySystem proto =
        MemorySystemToProto(*PresetMemorySystem(name));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
        proto, MemorySystemToProto(*MemorySystemFromProto(proto))));
  }
}

TEST(MemorySystemProtoTest, KeepsWhatCopiesDoToKernels) {
  v1::MemorySystem proto = FileProto();
  EXPECT_FALSE(proto.copies(0).has_slowdown());
  proto.mutable_copies(0)->mutable_slowdown()->set_compute(0.25);
  const MemorySystem system = *MemorySystemFromProto(proto);
  EXPECT_EQ(system.SlowdownBeside(0, 1).compute, 0.25);
  EXPECT_EQ(system.SlowdownBeside(1, 0), Slowdown{});
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      proto, MemorySystemToProto(system)));
}

TEST(MemorySystemProtoTest, KeepsWhatOppositeLanesDoToEachOther) {
  v1::MemorySystem proto = FileProto();
  proto.mutable_copies(0)->set_both_ways_share(0.4);
  const MemorySystem system = *MemorySystemFromProto(proto);
  EXPECT_EQ(system.BothWaysShare(0, 1), 0.4);
  EXPECT_EQ(system.BothWaysShare(1, 0), 1);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      proto, MemorySystemToProto(system)));
}

TEST(MemorySystemProtoTest, ZeroMeansTheDocumentedDefault) {
  v1::MemorySystem proto = FileProto();
  proto.mutable_tiers(0)->set_page_bytes(0);
  proto.mutable_tiers(0)->set_copy_read_threads(0);
  const MemorySystem system = *MemorySystemFromProto(proto);
  EXPECT_EQ(system.tiers[0].page_bytes, 4096);
  EXPECT_EQ(system.tiers[0].copy_read_threads, 1);
}

struct BadSystem {
  std::string what;
  std::function<void(v1::MemorySystem&)> damage;
  std::string message;
};

class BadSystemTest : public testing::TestWithParam<BadSystem> {};

TEST_P(BadSystemTest, IsRefusedWithThePlace) {
  v1::MemorySystem proto = FileProto();
  GetParam().damage(proto);
  const absl::Status status = MemorySystemFromProto(proto).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSystemTest,
    testing::Values(
        BadSystem{"schema", [](auto& s) { s.set_schema_version(9); },
                  "schema_version is 9"},
        BadSystem{"name", [](auto& s) { s.set_name(""); }, "name is ''"},
        BadSystem{"onetier", [](auto& s) { s.mutable_tiers()->RemoveLast(); },
                  "tiers has 1 entries"},
        BadSystem{"tiername",
                  [](auto& s) { s.mutable_tiers(1)->set_name("dram"); },
                  "tiers[1].name is 'dram'"},
        BadSystem{"firstnotaddressable",
                  [](auto& s) { s.mutable_tiers(0)->set_addressable(false); },
                  "tiers[0].addressable is false"},
        BadSystem{"streamableaddressable",
                  [](auto& s) { s.mutable_tiers(1)->set_addressable(true); },
                  "tiers[1].streamable is true"},
        BadSystem{"capacity",
                  [](auto& s) { s.mutable_tiers(0)->set_capacity_bytes(-1); },
                  "tiers[0].capacity_bytes is -1"},
        BadSystem{"page",
                  [](auto& s) { s.mutable_tiers(0)->set_page_bytes(3000); },
                  "tiers[0].page_bytes is 3000"},
        BadSystem{"noread", [](auto& s) { s.mutable_tiers(0)->clear_read(); },
                  "tiers[0].read has 0 points"},
        BadSystem{"zerobandwidth",
                  [](auto& s) {
                    s.mutable_tiers(1)->mutable_write(0)->set_bytes_per_second(
                        0);
                  },
                  "tiers[1].write[0].bytes_per_second is 0"},
        BadSystem{"descending",
                  [](auto& s) {
                    *s.mutable_tiers(0)->add_read() = s.tiers(0).read(0);
                  },
                  "tiers[0].read[1] is at 1"},
        BadSystem{"price",
                  [](auto& s) {
                    s.mutable_tiers(0)->set_price_usd_per_gb(
                        std::numeric_limits<double>::quiet_NaN());
                  },
                  "tiers[0].price_usd_per_gb is nan"},
        BadSystem{"copytier",
                  [](auto& s) { s.mutable_copies(0)->set_to_tier(5); },
                  "copies[0].to_tier is 5"},
        BadSystem{"copyself",
                  [](auto& s) { s.mutable_copies(0)->set_to_tier(0); },
                  "copies[0] is from tier 0 to 0"},
        BadSystem{"copytwice", [](auto& s) { *s.add_copies() = s.copies(0); },
                  "copies[2] is from tier 0 to 1"},
        BadSystem{"nopoints",
                  [](auto& s) { s.mutable_copies(0)->clear_points(); },
                  "copies[0].points has 0 points"},
        BadSystem{"slowdown",
                  [](auto& s) {
                    s.mutable_copies(0)->mutable_slowdown()->set_memory(-1);
                  },
                  "copies[0].slowdown.memory is -1"},
        BadSystem{
            "bothwaysnone",
            [](auto& s) { s.mutable_copies(0)->set_both_ways_share(0.001); },
            "copies[0].both_ways_share is 0.001"},
        BadSystem{
            "bothwaysmore",
            [](auto& s) { s.mutable_copies(1)->set_both_ways_share(1.5); },
            "copies[1].both_ways_share is 1.5"},
        BadSystem{"setup",
                  [](auto& s) { s.mutable_copies(0)->set_setup_ns(-4); },
                  "copies[0].setup_ns is -4"}),
    [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace stowage::policies
