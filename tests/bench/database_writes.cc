// Measures what a write to the service's database costs, with and without
// waiting for the disk, and how long a large database takes to open.
//
//   database_writes --db /var/tmp/bench.db --graphs 10000 --graph_kb 50
//
// Each way writes in turn, so that both see the same disk: the figure is the
// median, and the quartiles in brackets.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "server/graphs/graph_store.h"
#include "server/storage/open_database.h"
#include "server/storage/sqlite_connection.h"

ABSL_FLAG(std::string, db, "/var/tmp/stowage-bench.db",
          "is made, and removed at the end");
ABSL_FLAG(int, writes, 500, "measured in each way");
ABSL_FLAG(int, graphs, 10'000, "stored when the database is opened again");
ABSL_FLAG(int, graph_kb, 50, "of each graph");

namespace stowage {
namespace {

using Durations = std::vector<absl::Duration>;

// Returns a graph whose bytes do not compress or repeat.
v1::Graph RandomGraph(absl::BitGen& random) {
  std::string name(absl::GetFlag(FLAGS_graph_kb) << 10, '\0');
  for (char& byte : name) byte = absl::Uniform<char>(random, 'a', 'z');
  v1::Graph graph;
  graph.set_name(name);
  return graph;
}

class Bench {
 public:
  absl::Status Open() {
    absl::StatusOr<std::shared_ptr<SqlDatabase>> opened =
        OpenDatabase(absl::GetFlag(FLAGS_db));
    if (!opened.ok()) return opened.status();
    database_ = *std::move(opened);
    store_ = std::make_unique<GraphStore>(database_);
    return absl::OkStatus();
  }

  void Close() {
    store_.reset();
    database_.reset();
  }

  absl::Status Put(Durations* durations) {
    v1::GraphSummary summary;
    summary.set_graph_id(absl::StrFormat("%064x", random_()));
    const v1::Graph graph = RandomGraph(random_);
    const absl::Time start = absl::Now();
    absl::Status put = store_->PutGraph(summary, graph, "").status();
    durations->push_back(absl::Now() - start);
    return put;
  }

  absl::Status SetSynchronous(const std::string& level) {
    return database_->Run(absl::StrCat("PRAGMA synchronous = ", level))
        .status();
  }

 private:
  absl::BitGen random_;
  std::shared_ptr<SqlDatabase> database_;
  std::unique_ptr<GraphStore> store_;
};

void Print(const std::string& what, Durations durations) {
  std::sort(durations.begin(), durations.end());
  const auto quantile_ms = [&](double share) {
    return absl::ToDoubleMilliseconds(
        durations[static_cast<size_t>(share * (durations.size() - 1))]);
  };
  std::printf("%-40s %7.2f ms (%.2f to %.2f), 99%% within %.2f\n", what.c_str(),
              quantile_ms(0.5), quantile_ms(0.25), quantile_ms(0.75),
              quantile_ms(0.99));
}

absl::Status MeasureWrites(Bench& bench) {
  constexpr int kTurn = 50;  // so many writes, then the other way's turn
  Durations normal;
  Durations full;
  while (full.size() < absl::GetFlag(FLAGS_writes)) {
    for (const bool waits : {false, true}) {
      absl::Status set = bench.SetSynchronous(waits ? "FULL" : "NORMAL");
      if (!set.ok()) return set;
      for (int i = 0; i < kTurn; ++i) {
        absl::Status put = bench.Put(waits ? &full : &normal);
        if (!put.ok()) return put;
      }
    }
  }
  Print("write, synchronous = NORMAL", normal);
  Print("write, synchronous = FULL", full);
  return absl::OkStatus();
}

absl::Status MeasureOpening(Bench& bench) {
  // Filling is not measured, so it goes as fast as it can.
  if (absl::Status set = bench.SetSynchronous("OFF"); !set.ok()) return set;
  Durations ignored;
  for (int i = 0; i < absl::GetFlag(FLAGS_graphs); ++i) {
    if (absl::Status put = bench.Put(&ignored); !put.ok()) return put;
  }
  Durations opening;
  Durations looking;
  for (int i = 0; i < 5; ++i) {
    bench.Close();
    absl::Time start = absl::Now();
    if (absl::Status opened = bench.Open(); !opened.ok()) return opened;
    opening.push_back(absl::Now() - start);
    bench.Close();
    start = absl::Now();
    auto connection = SqliteConnection::Open(absl::GetFlag(FLAGS_db));
    if (!connection.ok()) return connection.status();
    if (auto looked = (*connection)->LookForDamage(absl::InfiniteDuration());
        !looked.ok()) {
      return looked.status();
    }
    looking.push_back(absl::Now() - start);
  }
  Print("open, with up to 1 s of looking for damage", opening);
  Print("look for damage to the end", looking);
  return absl::OkStatus();
}

absl::Status Run() {
  Bench bench;
  if (absl::Status opened = bench.Open(); !opened.ok()) return opened;
  if (absl::Status done = MeasureWrites(bench); !done.ok()) return done;
  return MeasureOpening(bench);
}

int Main() {
  const std::string db = absl::GetFlag(FLAGS_db);
  if (std::filesystem::exists(db)) {
    std::fprintf(stderr, "%s is there already; name another\n", db.c_str());
    return 1;
  }
  const absl::Status done = Run();
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    std::filesystem::remove(db + suffix);
  }
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::Main();
}
