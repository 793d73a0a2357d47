#include "policies/autotm/formulation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "policies/autotm/overlap.h"

namespace stowage::policies {
namespace {

constexpr double kMicrosecond = 1e3;  // in nanoseconds
constexpr double kMiB = 1 << 20;

// A fraction this close to one is one.
constexpr double kIntegral = 1 - 1e-5;

// Adds up terms of the same column and leaves out terms that vanish.
std::vector<Term> Merged(const std::vector<Term>& terms) {
  std::map<int, double> sums;
  for (const Term& term : terms) sums[term.column] += term.coefficient;
  std::vector<Term> merged;
  for (const auto& [column, sum] : sums) {
    if (sum != 0) merged.push_back({column, sum});
  }
  return merged;
}

// Adds the row that the sum of `terms` is at most zero.
void AtMostZero(LinearProgram& program, std::vector<Term> terms) {
  terms = Merged(terms);
  if (!terms.empty()) AddRow(program, {.upper = 0, .terms = std::move(terms)});
}

bool Is(const std::vector<double>& values, int column) {
  return values[column] > kIntegral;
}

// Returns whether the place of operand `j` makes a difference to the kernel's
// time.
bool IsPriced(const KernelProblem& kernel, size_t j) {
  return std::any_of(
      kernel.implementations.begin(), kernel.implementations.end(),
      [j](const Implementation& i) {
        return !i.cost.listed_ns.empty() || i.cost.slow_ns[j] != 0;
      });
}

Column PlaceColumn(UsePlace place) {
  return {.lower = place == UsePlace::kFast ? 1.0 : 0.0,
          .upper = place == UsePlace::kSlow ? 0.0 : 1.0,
          .integer = true};
}

}  // namespace

Formulation::Formulation(const FlowProblem& problem) : problem_(problem) {
  program_.constant = problem.constant_ns / kMicrosecond;
  flows_.resize(problem.flows.size());
  kernels_.resize(problem.kernels.size());
  resting_.resize(problem.kernels.size());
  beside_.resize(problem.kernels.size());
  for (size_t f = 0; f < flows_.size(); ++f) {
    if (problem.rules.movement == Movement::kStatic) {
      AddStaticFlow(static_cast<int>(f));
    } else {
      AddFlow(static_cast<int>(f));
    }
  }
  for (KernelIndex k = 0; k < problem.kernel_count(); ++k) AddKernel(k);
}

// Adds one column that says where the tensor is all its life (figure 6a).
void Formulation::AddStaticFlow(int f) {
  const TensorFlow& flow = problem_.flows[f];
  const int column = AddColumn(program_, {.integer = true});
  for (int i = 0; i < flow.use_count(); ++i) {
    flows_[f].fast.push_back(column);
    flows_[f].rests.push_back({.fast = column, .stale = column});
    if (!flow.has_rest(i)) continue;
    AddResting(flow.first_rest(i), flow.last_rest(i), column, flow.bytes);
  }
}

void Formulation::AddFlow(int f) {
  const TensorFlow& flow = problem_.flows[f];
  AddUses(f);
  for (int i = 0; i < flow.use_count(); ++i) AddRest(f, i);
  for (int i = 0; i < flow.use_count(); ++i) {
    if (!flow.has_rest(i)) continue;
    ConserveFlow(f, i);
    PriceMoves(f, i);
  }
}

void Formulation::AddUses(int f) {
  for (const FlowUse& use : problem_.flows[f].uses) {
    flows_[f].fast.push_back(AddColumn(program_, PlaceColumn(use.place)));
  }
}

void Formulation::AddRest(int f, int i) {
  const TensorFlow& flow = problem_.flows[f];
  RestColumns rest;
  if (flow.has_rest(i)) {
    rest.fast = AddColumn(program_, {.integer = true});
    rest.stale =
        Writes(flow, i) ? rest.fast : AddColumn(program_, {.integer = true});
    const KernelIndex first = flow.first_rest(i), last = flow.last_rest(i);
    AddResting(first, last, rest.fast, flow.bytes);
    if (problem_.rules.movement == Movement::kAsynchronous) {
      AddOverlaps(flow, i, rest);
    }
    for (const Overlap& out : rest.out) {
      AddResting(first, out.kernel, out.column, flow.bytes);
    }
    for (const Overlap& in : rest.in) {
      AddResting(in.kernel, last, in.column, flow.bytes);
    }
  }
  flows_[f].rests.push_back(std::move(rest));
}

void Formulation::AddOverlaps(const TensorFlow& flow, int i,
                              RestColumns& rest) {
  const auto add = [&](const std::vector<KernelIndex>& kernels, int64_t copy_ns,
                       std::vector<Overlap>& overlaps) {
    for (KernelIndex k : kernels) {
      overlaps.push_back({k, AddColumn(program_, {.integer = true})});
      beside_[problem_.Roll(k)].push_back(
          {overlaps.back().column, copy_ns / kMicrosecond});
    }
  };
  const OverlapKernels kernels = FindOverlapKernels(problem_, flow, i);
  add(kernels.out, flow.out_ns, rest.out);
  add(kernels.in, flow.in_ns, rest.in);
}

bool Formulation::Writes(const TensorFlow& flow, int i) const {
  return flow.uses[i].writes || !problem_.rules.write_back_once;
}

// Returns the column that is 1 if use `i` leaves the tensor fast and its copy
// in the slower tier, if any, stale.
int Formulation::StaleAfter(int f, int i) const {
  const TensorFlow& flow = problem_.flows[f];
  if (Writes(flow, i)) return flows_[f].fast[i];
  const int before = (i + flow.use_count() - 1) % flow.use_count();
  const RestColumns& rest = flows_[f].rests[before];
  return problem_.CrossesEnd(flow, before) ? rest.fast : rest.stale;
}

// Conserves the flow: a rest's flow comes from the use before it, as stale as
// that left it, and goes to the use after it.
void Formulation::ConserveFlow(int f, int i) {
  const TensorFlow& flow = problem_.flows[f];
  const RestColumns& rest = flows_[f].rests[i];
  const int fast = flows_[f].fast[i];
  const int stale = StaleAfter(f, i);
  std::vector<Term> out = {{rest.stale, 1}, {stale, -1}};
  for (const Overlap& overlap : rest.out) out.push_back({overlap.column, 1});
  AtMostZero(program_, out);
  if (rest.stale != rest.fast) {
    AtMostZero(program_, {{rest.stale, 1}, {rest.fast, -1}});
    AtMostZero(program_,
               {{rest.fast, 1}, {rest.stale, -1}, {fast, -1}, {stale, 1}});
  }
  if (!flow.has_next(i)) return;
  std::vector<Term> in = {{rest.fast, 1}, {flows_[f].fast[flow.next(i)], -1}};
  for (const Overlap& overlap : rest.in) in.push_back({overlap.column, 1});
  AtMostZero(program_, in);
}

// Prices moves by equation 2: a tensor that leaves or enters the fast tier on
// no other edge does so while execution waits.
void Formulation::PriceMoves(int f, int i) {
  const TensorFlow& flow = problem_.flows[f];
  const RestColumns& rest = flows_[f].rests[i];
  std::vector<Column>& columns = program_.columns;
  const double out = flow.out_ns / kMicrosecond;
  columns[StaleAfter(f, i)].cost += out;
  columns[rest.stale].cost -= out;
  for (const Overlap& overlap : rest.out) columns[overlap.column].cost -= out;
  if (!flow.has_next(i)) return;
  const double in = flow.in_ns / kMicrosecond;
  columns[flows_[f].fast[flow.next(i)]].cost += in;
  columns[rest.fast].cost -= in;
  for (const Overlap& overlap : rest.in) columns[overlap.column].cost -= in;
}

void Formulation::AddResting(KernelIndex first, KernelIndex last, int column,
                             double amount) {
  const KernelIndex kernels = problem_.kernel_count();
  const double room = amount / kMiB;
  const auto add = [&](KernelIndex begin, KernelIndex end) {
    if (begin > end) return;
    resting_[begin].push_back({column, room});
    if (end + 1 < kernels) resting_[end + 1].push_back({column, -room});
  };
  add(first, std::min(last, kernels - 1));
  add(std::max(first, kernels + 1) - (kernels + 1), last - (kernels + 1));
}

void Formulation::AddKernel(KernelIndex k) {
  AddDuration(k);
  if (!beside_[k].empty()) AddExcess(k);
  AddCapacity(k);
}

// Adds the kernel's duration by equations 6 and 10.
void Formulation::AddDuration(KernelIndex k) {
  const KernelProblem& kernel = problem_.kernels[k];
  KernelColumns& columns = kernels_[k];
  columns.implementations.resize(kernel.implementations.size());
  if (columns.implementations.size() > 1) {
    Row one{.lower = 1, .upper = 1};
    for (ImplementationColumns& implementation : columns.implementations) {
      implementation.chosen = AddColumn(program_, {.integer = true});
      one.terms.push_back({implementation.chosen, 1});
    }
    AddRow(program_, std::move(one));
  }
  // An operand is fast if it is fast while one of the implementations runs.
  std::vector<Row> operands(kernel.uses.size(), Row{.lower = 0, .upper = 0});
  for (size_t i = 0; i < columns.implementations.size(); ++i) {
    AddImplementation(k, static_cast<int>(i), operands);
  }
  for (size_t j = 0; j < operands.size(); ++j) {
    if (operands[j].terms.empty()) continue;
    const UseRef& ref = kernel.uses[j];
    operands[j].terms.push_back({flows_[ref.flow].fast[ref.use], -1});
    AddRow(program_, std::move(operands[j]));
  }
  program_.constant += columns.constant_us;
  for (const Term& term : columns.duration_us) {
    program_.columns[term.column].cost += term.coefficient;
  }
}

void Formulation::AddImplementation(KernelIndex k, int i,
                                    std::vector<Row>& operands) {
  const KernelProblem& kernel = problem_.kernels[k];
  if (!kernel.implementations[i].cost.listed_ns.empty()) {
    AddListed(k, i, operands);
  } else if (kernel.implementations.size() > 1) {
    AddSum(k, i, operands);
  } else {
    AddOnlySum(k);
  }
}

// Adds a column for each configuration; `operands` gets those in which it is
// fast.
void Formulation::AddListed(KernelIndex k, int i, std::vector<Row>& operands) {
  const std::vector<double>& listed_ns =
      problem_.kernels[k].implementations[i].cost.listed_ns;
  ImplementationColumns& columns = kernels_[k].implementations[i];
  const double once = columns.chosen < 0 ? 1 : 0;
  Row one{.lower = once, .upper = once};
  for (size_t set = 0; set < listed_ns.size(); ++set) {
    // It is one-hot because the operands' columns are integral.
    const int column = AddColumn(program_, {});
    columns.configurations.push_back(column);
    one.terms.push_back({column, 1});
    kernels_[k].duration_us.push_back({column, listed_ns[set] / kMicrosecond});
    for (size_t j = 0; j < operands.size(); ++j) {
      if ((set >> j & 1) == 0) operands[j].terms.push_back({column, 1});
    }
  }
  if (columns.chosen >= 0) one.terms.push_back({columns.chosen, -1});
  AddRow(program_, std::move(one));
}

// Adds a column for each operand, which is 1 if it is fast and this
// implementation runs.
void Formulation::AddSum(KernelIndex k, int i, std::vector<Row>& operands) {
  const KernelProblem& kernel = problem_.kernels[k];
  const KernelConfigurations& cost = kernel.implementations[i].cost;
  ImplementationColumns& columns = kernels_[k].implementations[i];
  double slow_us = cost.fast_ns / kMicrosecond;
  for (size_t j = 0; j < operands.size(); ++j) {
    columns.fast.push_back(-1);
    if (!IsPriced(kernel, j)) continue;
    const int fast = AddColumn(program_, {});
    columns.fast.back() = fast;
    AtMostZero(program_, {{fast, 1}, {columns.chosen, -1}});
    operands[j].terms.push_back({fast, 1});
    const double more_us = cost.slow_ns[j] / kMicrosecond;
    slow_us += more_us;
    kernels_[k].duration_us.push_back({fast, -more_us});
  }
  kernels_[k].duration_us.push_back({columns.chosen, slow_us});
}

// Adds the duration of a kernel without a choice, which the operands' own
// columns determine.
void Formulation::AddOnlySum(KernelIndex k) {
  const KernelProblem& kernel = problem_.kernels[k];
  const KernelConfigurations& cost = kernel.implementations.front().cost;
  KernelColumns& columns = kernels_[k];
  columns.constant_us = cost.fast_ns / kMicrosecond;
  for (size_t j = 0; j < kernel.uses.size(); ++j) {
    const double more_us = cost.slow_ns[j] / kMicrosecond;
    const UseRef& ref = kernel.uses[j];
    columns.constant_us += more_us;
    columns.duration_us.push_back({flows_[ref.flow].fast[ref.use], -more_us});
  }
}

// Adds equation 7: the maximum of the kernel and the copies beside it is the
// kernel plus the time by which the copies exceed it.
void Formulation::AddExcess(KernelIndex k) {
  const KernelColumns& columns = kernels_[k];
  const int excess = AddColumn(program_, {.upper = kUnbounded, .cost = 1});
  kernels_[k].excess = excess;
  Row row{.upper = columns.constant_us, .terms = beside_[k]};
  row.terms.push_back({excess, -1});
  for (const Term& term : columns.duration_us) {
    row.terms.push_back({term.column, -term.coefficient});
  }
  row.terms = Merged(row.terms);
  AddRow(program_, std::move(row));
}

// Adds equations 5 and 9. The bytes at rest are one column for each kernel,
// carried on from kernel to kernel, so that a long rest stands in two rows and
// not in one for each kernel it spans.
void Formulation::AddCapacity(KernelIndex k) {
  const KernelProblem& kernel = problem_.kernels[k];
  const int before = k > 0 ? kernels_[k - 1].resting : -1;
  std::vector<Term> change = Merged(resting_[k]);
  int resting = before;
  if (!change.empty() || before < 0) {
    resting = AddColumn(program_, {.upper = kUnbounded});
    change.push_back({resting, -1});
    if (before >= 0) change.push_back({before, 1});
    AddRow(program_, {.lower = 0, .upper = 0, .terms = std::move(change)});
  }
  kernels_[k].resting = resting;
  Row row{.upper = kernel.limit_bytes / kMiB, .terms = {{resting, 1}}};
  for (const UseRef& ref : kernel.uses) {
    row.terms.push_back({flows_[ref.flow].fast[ref.use],
                         problem_.flows[ref.flow].bytes / kMiB});
  }
  for (size_t i = 0; i < kernel.implementations.size(); ++i) {
    const int64_t extra_bytes = kernel.implementations[i].extra_bytes;
    if (extra_bytes == 0) continue;
    row.terms.push_back(
        {kernels_[k].implementations[i].chosen, extra_bytes / kMiB});
  }
  AddRow(program_, std::move(row));
}

Rest Formulation::RestOf(int f, int i,
                         const std::vector<double>& values) const {
  const TensorFlow& flow = problem_.flows[f];
  const RestColumns& columns = flows_[f].rests[i];
  if (Is(values, columns.fast)) return {};
  Rest rest = SynchronousRest(flow, i);
  for (const Overlap& out : columns.out) {
    if (!Is(values, out.column)) continue;
    rest.leave = out.kernel;
    rest.left = out.kernel + 1;
  }
  for (const Overlap& in : columns.in) {
    if (!Is(values, in.column)) continue;
    rest.fetch = in.kernel;
    rest.back = in.kernel + 1;
  }
  return rest;
}

Paths Formulation::PathsOf(const std::vector<double>& values) const {
  Paths paths(flows_.size());
  for (size_t f = 0; f < flows_.size(); ++f) {
    const TensorFlow& flow = problem_.flows[f];
    for (int i = 0; i < flow.use_count(); ++i) {
      paths[f].fast.push_back(Is(values, flows_[f].fast[i]));
      paths[f].rests.push_back(
          flow.has_rest(i) ? RestOf(static_cast<int>(f), i, values) : Rest{});
    }
  }
  return paths;
}

void Formulation::FillFlow(int f, const TensorPath& path,
                           std::vector<double>& values) const {
  const TensorFlow& flow = problem_.flows[f];
  const FlowColumns& columns = flows_[f];
  bool stale = false;
  // The first turn of a cycle finds out what is stale as the second begins.
  for (int turn = flow.cyclic ? 0 : 1; turn < 2; ++turn) {
    for (int i = 0; i < flow.use_count(); ++i) {
      values[columns.fast[i]] = path.fast[i];
      stale = path.fast[i] && (stale || Writes(flow, i));
      if (!flow.has_rest(i)) continue;
      const Rest& rest = path.rests[i];
      values[columns.rests[i].fast] = rest.fast;
      for (const Overlap& out : columns.rests[i].out) {
        values[out.column] = !rest.fast && stale && rest.leave != rest.left &&
                             rest.leave == out.kernel;
      }
      const bool fetched = flow.has_next(i) && path.fast[flow.next(i)];
      for (const Overlap& in : columns.rests[i].in) {
        values[in.column] = !rest.fast && fetched && rest.fetch != rest.back &&
                            rest.fetch == in.kernel;
      }
      stale = stale && rest.fast;
      if (columns.rests[i].stale != columns.rests[i].fast) {
        values[columns.rests[i].stale] = stale;
      }
      stale = stale || (rest.fast && problem_.CrossesEnd(flow, i));
    }
  }
}

void Formulation::FillImplementation(KernelIndex k, int i,
                                     const std::vector<bool>& slow,
                                     std::vector<double>& values) const {
  const ImplementationColumns& columns = kernels_[k].implementations[i];
  if (columns.chosen >= 0) values[columns.chosen] = 1;
  if (!columns.configurations.empty()) {
    size_t set = 0;
    for (size_t j = 0; j < slow.size(); ++j) set |= size_t{slow[j]} << j;
    values[columns.configurations[set]] = 1;
  }
  for (size_t j = 0; j < columns.fast.size(); ++j) {
    if (columns.fast[j] >= 0) values[columns.fast[j]] = !slow[j];
  }
}

void Formulation::FillKernels(const Paths& paths,
                              std::vector<double>& values) const {
  const std::vector<int32_t> best = BestImplementations(problem_, paths);
  double resting = 0;
  for (KernelIndex k = 0; k < problem_.kernel_count(); ++k) {
    const KernelProblem& kernel = problem_.kernels[k];
    std::vector<bool> slow;
    for (const UseRef& ref : kernel.uses) {
      slow.push_back(!paths[ref.flow].fast[ref.use]);
    }
    FillImplementation(k, best[k], slow, values);
    if (kernels_[k].excess >= 0) {
      const double ns = kernel.implementations[best[k]].cost.DurationNs(slow);
      double beside = 0;
      for (const Term& term : beside_[k]) {
        beside += term.coefficient * values[term.column];
      }
      values[kernels_[k].excess] = std::max(0.0, beside - ns / kMicrosecond);
    }
    for (const Term& term : resting_[k]) {
      resting += term.coefficient * values[term.column];
    }
    values[kernels_[k].resting] = std::max(0.0, resting);
  }
}

std::vector<double> Formulation::ValuesOf(const Paths& paths) const {
  std::vector<double> values(program_.columns.size(), 0);
  for (size_t f = 0; f < flows_.size(); ++f) {
    FillFlow(static_cast<int>(f), paths[f], values);
  }
  FillKernels(paths, values);
  return values;
}

}  // namespace stowage::policies
