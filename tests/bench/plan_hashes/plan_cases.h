// Lists the plans whose hashes tests/bench/plan_hashes/hashes.txt keeps: those
// that every policy makes of each graph of tests/data in four memory systems
// under three limits. A change that is not meant to change plans leaves them
// all alone.
//
//   const Graph graph = LoadDataGraph("resnet-trace");
//   PlanHash(graph, {"resnet-trace", "optane", 20, "belady"});
//
// The hashes are those of the compiler and libraries of Debian 12 on x86-64;
// another C library rounds exponentials and logarithms differently.
#ifndef STOWAGE_TESTS_BENCH_PLAN_HASHES_PLAN_CASES_H_
#define STOWAGE_TESTS_BENCH_PLAN_HASHES_PLAN_CASES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

struct PlanCase {
  std::string graph;  // a file of tests/data, without its ending
  std::string system;
  int limit_percent = 0;  // of the graph's peak
  std::string policy;
};

// Returns every graph, system, limit and policy, except those that are left out
// with their reason (plan_cases.cc). "deeptm" stands for a DQN policy with
// random weights.
std::vector<PlanCase> AllPlanCases();

// Returns a key such as "resnet-trace optane 20 belady".
std::string Key(const PlanCase& plan_case);

// Reads tests/data/NAME.pb.gz. Dies if it cannot.
Graph LoadDataGraph(std::string_view name);

// Returns 16 hex digits of the SHA-256 of the plan's proto, or the code of the
// error that the policy answers. The name of the policy and the notes are left
// out: they are for people, and may get better.
std::string PlanHash(const Graph& graph, const PlanCase& plan_case);

// Returns the checked-in hashes by Key(). Dies if the file cannot be read.
std::map<std::string, std::string> KeptHashes();

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_BENCH_PLAN_HASHES_PLAN_CASES_H_
