#include "tools/stowage/import/trace_iteration.h"

#include <limits>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

bool IsProfilerStep(const TraceNode& node) {
  return absl::StartsWith(node.name, "ProfilerStep#");
}

bool IsAnnotation(const TraceNode& node) {
  return absl::StartsWith(node.name, "## ");
}

std::vector<int> ProfilerSteps(const ExecutionTrace& trace) {
  std::vector<int> marks;
  for (int n = 0; n < std::ssize(trace.nodes); ++n) {
    if (IsProfilerStep(trace.nodes[n])) marks.push_back(n);
  }
  return marks;
}

std::vector<int> RepeatedAnnotation(const ExecutionTrace& trace) {
  std::map<std::string, std::vector<int>> by_name;
  std::vector<std::string> order;
  int thread = -2;  // the parent of the first annotation
  for (int n = 0; n < std::ssize(trace.nodes); ++n) {
    const TraceNode& node = trace.nodes[n];
    if (!IsAnnotation(node)) continue;
    if (thread == -2) thread = node.parent;
    if (node.parent != thread) continue;
    std::vector<int>& marks = by_name[node.name];
    if (marks.empty()) order.push_back(node.name);
    marks.push_back(n);
  }
  for (const std::string& name : order) {
    if (by_name[name].size() > 1) return by_name[name];
  }
  return {};
}

std::vector<Iteration> SplitAt(const ExecutionTrace& trace,
                               const std::vector<int>& marks) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  if (marks.empty()) return {{.name = "the whole trace", .end_id = kEnd}};
  std::vector<Iteration> iterations;
  for (size_t i = 0; i < marks.size(); ++i) {
    const TraceNode& mark = trace.nodes[marks[i]];
    const bool last = i + 1 == marks.size();
    iterations.push_back(
        {.name = mark.name,
         .begin_id = mark.id,
         .end_id = last ? kEnd : trace.nodes[marks[i + 1]].id});
  }
  return iterations;
}

}  // namespace

std::vector<Iteration> FindIterations(const ExecutionTrace& trace) {
  std::vector<int> marks = ProfilerSteps(trace);
  if (marks.empty()) marks = RepeatedAnnotation(trace);
  std::vector<Iteration> iterations = SplitAt(trace, marks);
  size_t i = 0;
  for (const TraceNode& node : trace.nodes) {
    if (!absl::StartsWith(node.name, "Optimizer.step")) continue;
    while (i + 1 < iterations.size() && node.id >= iterations[i].end_id) ++i;
    if (node.id >= iterations[i].begin_id) {
      iterations[i].has_optimizer_step = true;
    }
  }
  return iterations;
}

absl::StatusOr<int> ChooseIteration(const std::vector<Iteration>& iterations,
                                    int wanted) {
  const int count = static_cast<int>(iterations.size());
  if (wanted >= count || wanted < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("iteration ", wanted, " does not exist; the trace has ",
                     count, ", numbered 0 to ", count - 1));
  }
  if (wanted >= 0) return wanted;
  for (int i = count - 1; i >= 0; --i) {
    if (iterations[i].has_optimizer_step) return i;
  }
  return count - 1;
}

}  // namespace stowage::cli
