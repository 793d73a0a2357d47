// Moves a graph's small tensors between the tiers of this machine with the
// migrator that jobs have. It does so one by one with the addresses of a plan
// as it was built, and as the aggregator made it, in turn. Prints JSON. Not a
// test.
//
//   migrate_small_tensors --tiers emulated:optane,file:/tmp,dram
//     --rounds 7 graph.pb.gz
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "agents/engine/migrator.h"
#include "agents/tiers/memory_arena.h"
#include "client_sdk/session/clock.h"
#include "nlohmann/json.hpp"
#include "policies/aggregation/aggregator.h"
#include "policies/layout/address_layout.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/bench/aggregation/small_tensor_plan.h"
#include "tests/unit/agents/lane_client.h"

ABSL_FLAG(std::vector<std::string>, tiers,
          std::vector<std::string>({"emulated:optane", "file:/tmp", "dram"}),
          "slow tiers, as the agent names them");
ABSL_FLAG(int64_t, below_bytes, 64 << 10, "tensors smaller than this move");
ABSL_FLAG(int, rounds, 7, "times that each plan is carried out");

namespace stowage::policies {
namespace {

using agent::MoveOrder;
using Json = nlohmann::ordered_json;

constexpr int64_t kPeakBytes = 16 << 20;

// Holds what a job would issue at one boundary, in one direction.
struct Batch {
  session::Lane lane = session::kLaneOut;
  std::vector<MoveOrder> orders;
  std::vector<Move> moves;  // the moves that these orders are
};

struct Schedule {
  std::string name;
  std::vector<Batch> batches;
  CopyCount copies;
  int64_t tensor_bytes = 0;  // one way
};

// Returns the order of a move. A tensor that shares a page moves with all of
// it.
MoveOrder OrderOf(const Graph& graph, const Move& move) {
  const auto page = [](int64_t offset) {
    return offset - offset % kPlacementAlignmentBytes;
  };
  const int64_t end =
      move.from.offset_bytes + graph.tensors[move.tensor].size_bytes;
  return {.from_tier = move.from.tier,
          .to_tier = move.to.tier,
          .from_offset_bytes = page(move.from.offset_bytes),
          .to_offset_bytes = page(move.to.offset_bytes),
          .size_bytes = RoundUpToPlacement(end) - page(move.from.offset_bytes)};
}

// Separates the orders: the migrator joins orders that go on at higher
// addresses, and after this none does.
void Part(Schedule& schedule) {
  for (Batch& batch : schedule.batches) {
    std::sort(batch.orders.begin(), batch.orders.end(),
              [](const MoveOrder& a, const MoveOrder& b) {
                return a.from_offset_bytes > b.from_offset_bytes;
              });
  }
  schedule.copies.copies = schedule.copies.moves;
}

Schedule MakeSchedule(const std::string& name, const Graph& graph,
                      const Plan& plan) {
  Schedule schedule{.name = name, .copies = CountCopies(graph, plan)};
  KernelIndex boundary = -1;
  for (const Move& move : plan.moves) {
    const bool out = move.from.tier == kFastTier;
    const session::Lane lane = out ? session::kLaneOut : session::kLaneIn;
    if (out) schedule.tensor_bytes += graph.tensors[move.tensor].size_bytes;
    if (move.start_kernel != boundary || schedule.batches.back().lane != lane ||
        schedule.batches.back().orders.size() == session::kLaneEntries) {
      schedule.batches.push_back({.lane = lane});
      boundary = move.start_kernel;
    }
    schedule.batches.back().moves.push_back(move);
    std::vector<MoveOrder>& orders = schedule.batches.back().orders;
    const MoveOrder order = OrderOf(graph, move);
    if (orders.empty() ||
        orders.back().from_offset_bytes != order.from_offset_bytes) {
      orders.push_back(order);
    }
  }
  return schedule;
}

// Holds one job's tiers and migrator.
class Bench {
 public:
  Bench(const std::string& slow, int64_t fast_bytes, int64_t slow_bytes)
      : lanes_(*agent::SharedMemory::Create(
            "lanes", sizeof(session::MoveLane) * session::kLaneCount)),
        client_(reinterpret_cast<session::MoveLane*>(lanes_.data())) {
    std::vector<agent::TierRoom> rooms;
    rooms.push_back(MakeRoom("dram", fast_bytes));
    rooms.push_back(MakeRoom(slow, slow_bytes));
    fast_ = rooms[0].arena->mapped();
    migrator_ = std::make_unique<agent::Migrator>(
        reinterpret_cast<session::MoveLane*>(lanes_.data()), std::move(rooms),
        [](const MoveOrder&, int error) {
          std::cerr << "a move failed: " << std::strerror(error) << "\n";
          std::exit(1);
        });
  }

  // Returns the nanoseconds in each direction.
  std::map<session::Lane, int64_t> Run(const Schedule& schedule) {
    std::map<session::Lane, int64_t> took_ns;
    for (const Batch& batch : schedule.batches) {
      const int64_t begin_ns = session::NowNs();
      client_.Await(batch.lane, client_.IssueAll(batch.lane, batch.orders));
      took_ns[batch.lane] += session::NowNs() - begin_ns;
    }
    return took_ns;
  }

  // Returns the bytes per second that one large copy reaches.
  double Peak(session::Lane lane) {
    MoveOrder order{.to_tier = 1, .size_bytes = kPeakBytes};
    if (lane == session::kLaneIn) std::swap(order.from_tier, order.to_tier);
    double best = 0;
    for (int i = 0; i < 10; ++i) {
      const int64_t begin_ns = session::NowNs();
      client_.Move(lane, order);
      best =
          std::max(best, 1e9 * kPeakBytes /
                             static_cast<double>(session::NowNs() - begin_ns));
    }
    return best;
  }

  // Returns whether every move brings a tensor's bytes to where it ends.
  bool Survives(const Graph& graph, const Schedule& schedule) {
    for (const Batch& batch : schedule.batches) {
      const bool out = batch.lane == session::kLaneOut;
      for (const Move& move : batch.moves) {
        if (out) Fill(graph, move, Pattern(move));
      }
      client_.Await(batch.lane, client_.IssueAll(batch.lane, batch.orders));
      for (const Move& move : batch.moves) {
        if (out) Fill(graph, move, 0);  // stale bytes must not look right
        if (!out && !Holds(graph, move, Pattern(move))) return false;
      }
    }
    return true;
  }

 private:
  static int Pattern(const Move& move) { return 1 + move.tensor % 251; }

  void Fill(const Graph& graph, const Move& out, int value) {
    std::memset(fast_ + out.from.offset_bytes, value,
                graph.tensors[out.tensor].size_bytes);
  }

  bool Holds(const Graph& graph, const Move& in, int value) const {
    const std::byte* bytes = fast_ + in.to.offset_bytes;
    return std::all_of(
        bytes, bytes + graph.tensors[in.tensor].size_bytes,
        [value](std::byte b) { return b == static_cast<std::byte>(value); });
  }

  static agent::TierRoom MakeRoom(const std::string& spec, int64_t bytes) {
    const auto provider = *agent::MakeTierProvider(*agent::ParseTierSpec(spec));
    const agent::TierTraits& traits = provider->traits();
    return {.arena = *provider->CreateArena(bytes),
            .traits = traits,
            .gate = std::make_shared<agent::CopyGate>(
                traits.copy_read_threads, traits.copy_write_threads)};
  }

  agent::SharedMemory lanes_;
  agent::LaneClient client_;
  std::byte* fast_ = nullptr;
  std::unique_ptr<agent::Migrator> migrator_;
};

int64_t EndOf(const Plan& plan, TierIndex tier) {
  int64_t end = kPeakBytes;
  for (const Move& move : plan.moves) {
    for (const Placement& at : {move.from, move.to}) {
      if (at.tier == tier) end = std::max(end, at.offset_bytes + (2 << 20));
    }
  }
  return RoundUpToPlacement(end);
}

Json Measure(const std::string& tier, const Graph& graph, const Plan& built,
             const Plan& aggregated) {
  Bench bench(tier, std::max(EndOf(built, 0), EndOf(aggregated, 0)),
              std::max(EndOf(built, 1), EndOf(aggregated, 1)));
  Schedule schedules[] = {MakeSchedule("one by one", graph, built),
                          MakeSchedule("aggregated", graph, aggregated)};
  Part(schedules[0]);
  Json result{{"tier", tier}};
  // This also makes pages and blocks, which is not measured.
  if (!bench.Survives(graph, schedules[0]) ||
      !bench.Survives(graph, schedules[1])) {
    std::cerr << "bytes were lost on the way to " << tier << " and back\n";
    std::exit(1);
  }
  for (const session::Lane lane : {session::kLaneOut, session::kLaneIn}) {
    result[lane == session::kLaneOut ? "out" : "in"]["peak_bytes_per_second"] =
        bench.Peak(lane);
  }
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    for (const Schedule& schedule : schedules) {
      for (const auto& [lane, ns] : bench.Run(schedule)) {
        result[lane == session::kLaneOut ? "out" : "in"][schedule.name]
            .push_back(static_cast<double>(schedule.tensor_bytes) * 1e9 / ns);
      }
    }
  }
  return result;
}

int Run(const std::string& file_name) {
  std::ifstream file{file_name, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Graph graph = *GraphFromProto(*ParseGraph(bytes));
  // Addresses suit every tier that is measured: pages of a file are whole.
  const MemorySystem system = *PresetMemorySystem("file");
  const Plan built =
      *PlanSmallTensors(graph, system, absl::GetFlag(FLAGS_below_bytes));
  const Plan aggregated = *AggregatePlan(graph, system, built);
  for (const Plan* plan : {&built, &aggregated}) {
    if (const absl::Status s = VerifyPlan(graph, system, *plan); !s.ok()) {
      std::cerr << s << "\n";
      return 1;
    }
  }
  const Schedule schedule = MakeSchedule("", graph, aggregated);
  Json result{{"graph", graph.name},
              {"below_bytes", absl::GetFlag(FLAGS_below_bytes)},
              {"moves", schedule.copies.moves},
              {"tensor_bytes", schedule.tensor_bytes},
              {"copies", schedule.copies.copies}};
  for (const std::string& tier : absl::GetFlag(FLAGS_tiers)) {
    result["tiers"].push_back(Measure(tier, graph, built, aggregated));
  }
  std::cout << result.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace stowage::policies

// An exception ends the bench, and says why.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  const std::vector<char*> names = absl::ParseCommandLine(argc, argv);
  if (names.size() != 2) {
    std::cerr << "usage: migrate_small_tensors [FLAGS] GRAPH\n";
    return 1;
  }
  return stowage::policies::Run(names[1]);
}
