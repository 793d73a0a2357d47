#include "tools/stowage/import/operator_call.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {
namespace {

bool IsOperator(const TraceNode& node) {
  const absl::string_view name = node.name;
  if (absl::StartsWith(name, "autograd::") ||
      absl::StartsWith(name, "torch::autograd::")) {
    return false;
  }
  return !node.schema.empty() || absl::StrContains(name, "::");
}

Phase PhaseOf(const TraceNode& node, Phase of_parent) {
  if (absl::StartsWith(node.name, "Optimizer.step")) return Phase::kOptimizer;
  if (absl::StartsWith(node.name, "autograd::engine::evaluate_function")) {
    return Phase::kBackward;
  }
  return of_parent;
}

// Splits a list such as "Tensor(a!) self, Tensor[] b=[1, 2]" at its own commas,
// and not at those of lists and alias sets in it.
std::vector<absl::string_view> SplitArguments(absl::string_view list) {
  std::vector<absl::string_view> arguments;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      arguments.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    } else if (list[i] == '(' || list[i] == '[') {
      ++depth;
    } else if (list[i] == ')' || list[i] == ']') {
      --depth;
    }
  }
  return arguments;
}

// Returns the text between the parentheses that follow the operator's name.
absl::string_view ArgumentList(absl::string_view schema) {
  const size_t begin = schema.find('(');
  const size_t end = schema.rfind(") ->");
  if (begin == absl::string_view::npos || end == absl::string_view::npos ||
      end < begin) {
    return "";
  }
  return schema.substr(begin + 1, end - begin - 1);
}

// Returns whether the operator writes its first argument, as "aten::add_" and
// "c10d::allreduce_" do.
bool IsInPlaceName(const std::string& name) {
  return absl::EndsWith(name, "_") && !absl::EndsWith(name, "__");
}

}  // namespace

std::vector<OperatorCall> OutermostCalls(const ExecutionTrace& trace) {
  std::vector<OperatorCall> calls;
  std::vector<int> call_of(trace.nodes.size(), -1);
  std::vector<Phase> phase_of(trace.nodes.size(), Phase::kForward);
  for (int n = 0; n < std::ssize(trace.nodes); ++n) {
    const TraceNode& node = trace.nodes[n];
    const int parent = node.parent;
    phase_of[n] =
        PhaseOf(node, parent < 0 ? Phase::kForward : phase_of[parent]);
    if (parent >= 0) call_of[n] = call_of[parent];
    if (call_of[n] >= 0) {
      calls[call_of[n]].inner.push_back(n);
    } else if (IsOperator(node)) {
      call_of[n] = static_cast<int>(calls.size());
      calls.push_back({.node = n, .phase = phase_of[n]});
    }
  }
  return calls;
}

std::vector<ArgumentEffect> InputEffects(const TraceNode& node) {
  std::vector<ArgumentEffect> effects(node.inputs.size());
  size_t i = 0;
  for (absl::string_view argument : SplitArguments(ArgumentList(node.schema))) {
    if (absl::StrContains(argument, '*') &&
        !absl::StrContains(argument, "Tensor")) {
      continue;  // the mark before keyword arguments
    }
    if (i == effects.size()) break;
    effects[i].write = absl::StrContains(argument, "!)");
    effects[i].read = !(effects[i].write && absl::EndsWith(argument, " out"));
    ++i;
  }
  if (!effects.empty() && IsInPlaceName(node.name)) effects[0].write = true;
  return effects;
}

bool IsAllocation(const TraceNode& node) {
  return absl::StartsWith(node.name, "aten::empty") ||
         absl::StartsWith(node.name, "aten::new_empty");
}

}  // namespace stowage::cli
