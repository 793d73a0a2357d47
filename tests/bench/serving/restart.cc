// Measures how long a service takes to be ready on a database of many graphs.
//
//   cmake --build build --target restart
//   build/bin/restart [--graphs 10000] [--graph_kb 50] [--rounds 5]
//
// It fills an SQLite file and a PostgreSQL database of its own, then starts and
// kills a service on each in turn. Figures are medians over the rounds, with the
// least and the most in brackets.
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/random/random.h"
#include "absl/strings/str_format.h"
#include "server/graphs/graph_store.h"
#include "server/storage/open_database.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/server/storage/postgres_server.h"
#include "timing/steady_now.h"

ABSL_FLAG(int, graphs, 10'000, "stored");
ABSL_FLAG(int, graph_kb, 50, "of each graph");
ABSL_FLAG(int, rounds, 5, "of measurements");

namespace stowage {
namespace {

// Stores graphs whose bytes do not compress or repeat.
absl::Status Fill(const std::string& db) {
  absl::StatusOr<std::shared_ptr<SqlDatabase>> database = OpenDatabase(db);
  if (!database.ok()) return database.status();
  // Filling is not measured, so it goes as fast as it can.
  if (!(*database)->is_shared()) {
    (*database)->Run("PRAGMA synchronous = OFF").status().IgnoreError();
  }
  GraphStore store(*database);
  absl::BitGen random;
  std::string name(absl::GetFlag(FLAGS_graph_kb) << 10, '\0');
  for (int i = 0; i < absl::GetFlag(FLAGS_graphs); ++i) {
    for (char& byte : name) byte = absl::Uniform<char>(random, 'a', 'z');
    v1::GraphSummary summary;
    summary.set_graph_id(absl::StrFormat("%064x", i));
    v1::Graph graph;
    graph.set_name(name);
    absl::Status put = store.PutGraph(summary, graph, "").status();
    if (!put.ok()) return put;
  }
  return absl::OkStatus();
}

absl::Status Measure(const std::string& name, const std::string& db) {
  if (absl::Status filled = Fill(db); !filled.ok()) return filled;
  std::vector<double> seconds;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const absl::Time begin = SteadyNow();
    StowagedProcess server({"--db=" + db});
    if (!server.WaitReady()) return absl::UnavailableError(server.output());
    const auto graphs = server.Connect()->GetGraph(
        absl::StrFormat("%064x", absl::GetFlag(FLAGS_graphs) - 1));
    if (!graphs.ok()) return graphs.status();
    seconds.push_back(absl::ToDoubleSeconds(SteadyNow() - begin));
    server.Signal(SIGKILL);
    server.Wait();
  }
  std::sort(seconds.begin(), seconds.end());
  std::cout << absl::StreamFormat("%s: ready in %.2f s (%.2f to %.2f)", name,
                                  seconds[seconds.size() / 2], seconds.front(),
                                  seconds.back())
            << std::endl;
  return absl::OkStatus();
}

absl::Status Main() {
  const TemporaryDirectory directory;
  absl::Status measured = Measure("SQLite", directory.path() + "/a.db");
  if (!measured.ok()) return measured;
  PostgresServer postgres;
  return Measure("PostgreSQL", postgres.NewDatabase());
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = stowage::Main();
  if (status.ok()) return 0;
  std::cerr << "restart: " << status.message() << "\n";
  return 1;
}
