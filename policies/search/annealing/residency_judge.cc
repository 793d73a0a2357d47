#include "policies/search/annealing/residency_judge.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/planning/kernel_room.h"
#include "policies/simulate/later.h"

namespace stowage::policies {
namespace {

std::vector<Lane> LanesToFast(const MemorySystem& system) {
  std::vector<Lane> lanes;
  for (TierIndex tier = 1; tier < system.tier_count(); ++tier) {
    lanes.push_back({kFastTier, tier});
    lanes.push_back({tier, kFastTier});
  }
  return lanes;
}

}  // namespace

ResidencyJudge::ResidencyJudge(const Graph& graph, const MemorySystem& system,
                               const BuildInput& input,
                               const std::vector<int64_t>& allowed_bytes)
    : graph_(graph),
      system_(system),
      kernels_(graph.kernel_count()),
      lane_count_(2 * (system.tier_count() - 1)),
      drops_(graph),
      interference_(graph, system, LanesToFast(system)),
      clocks_(system, LanesToFast(system)),
      uses_(graph.tensors.size()),
      streamed_(graph.kernels.size()),
      first_home_(input.first_slow_tier),
      residencies_(graph.tensors.size()),
      home_(graph.tensors.size(), 1),
      unusable_(graph.tensors.size()),
      copies_of_(graph.tensors.size()),
      starts_(graph.kernels.size() + 1),
      deadlines_(graph.kernels.size() + 1),
      allowed_bytes_(graph.kernels.size() + 1),
      excess_(allowed_bytes_),
      changed_since_(graph.tensors.size()),
      free_ns_(clocks_.lane_count()) {
  if (first_home_.empty()) first_home_.assign(graph.tensors.size(), 1);
  for (const Kernel& kernel : graph.kernels) {
    profiles_.push_back(CompleteProfile(graph, kernel, system));
  }
  FindUses(input.streams);
  FindCopyDurations();
  Allow(allowed_bytes);
  for (const Residency& residency : input.residencies) {
    residencies_[residency.tensor].push_back(residency);
  }
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    Hold(t, residencies_[t], 1);
    ChooseHome(t);
    for (const Copy& copy : CopiesFor(t)) AddCopy(copy);
  }
  for (KernelIndex k = 0; k < kernels_; ++k) kernel_ns_.push_back(KernelNs(k));
  states_.assign((graph.kernels.size() + 1) * state_size(), 0);
  proposed_states_ = states_;
  Clear();
  first_ = 0;
  last_ = kernels_;
  Judge();
  Accept();
}

void ResidencyJudge::Allow(const std::vector<int64_t>& allowed_bytes) {
  for (KernelIndex b = 0; b <= kernels_; ++b) {
    excess_.Add(b, b + 1, allowed_bytes_[b] - allowed_bytes[b]);
  }
  allowed_bytes_ = allowed_bytes;
}

void ResidencyJudge::FindUses(const std::vector<Stream>& streams) {
  const bool in_place = HasAddressableSlowTier(system_);
  for (const Stream& stream : streams) {
    std::vector<bool>& streamed = streamed_[stream.kernel];
    for (const Operand& operand : graph_.kernels[stream.kernel].operands) {
      const auto& tensors = stream.tensors;
      streamed.push_back(!in_place ||
                         std::find(tensors.begin(), tensors.end(),
                                   operand.tensor) != tensors.end());
    }
  }
  for (KernelIndex k = 0; k < kernels_; ++k) {
    const std::vector<Operand>& operands = graph_.kernels[k].operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool streamed = !streamed_[k].empty() && streamed_[k][i];
      uses_[operands[i].tensor].push_back({streamed, k});
    }
  }
}

void ResidencyJudge::FindCopyDurations() {
  for (const Tensor& tensor : graph_.tensors) {
    for (TierIndex tier = 1; tier < system_.tier_count(); ++tier) {
      copy_ns_.push_back(
          system_.CopyDurationNs(kFastTier, tier, tensor.size_bytes));
      copy_ns_.push_back(
          system_.CopyDurationNs(tier, kFastTier, tensor.size_bytes));
    }
  }
}

TierIndex ResidencyJudge::TierAt(TensorIndex t, KernelIndex k) const {
  for (const Residency& residency : residencies_[t]) {
    if (residency.ready <= k && k < residency.end) return kFastTier;
  }
  return home_[t];
}

int64_t ResidencyJudge::KernelNs(KernelIndex k) const {
  const int64_t ns =
      KernelDurationNs(graph_, graph_.kernels[k], profiles_[k], system_,
                       [&](TensorIndex t) { return TierAt(t, k); });
  return streamed_[k].empty() ? ns : LaterNs(ns, WaitForStreamsNs(k));
}

int64_t ResidencyJudge::WaitForStreamsNs(KernelIndex k) const {
  int64_t ns = 0;
  const Kernel& kernel = graph_.kernels[k];
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    const Operand& operand = kernel.operands[i];
    const TierIndex tier = TierAt(operand.tensor, k);
    if (tier == kFastTier || !streamed_[k][i]) continue;
    ns = LaterNs(ns, StreamNs(graph_, kernel, operand, system_, tier));
  }
  return ns;
}

void ResidencyJudge::ChooseHome(TensorIndex t) {
  bool in_place = false, streamed = false;
  home_[t] = first_home_[t];
  for (const KernelUse& use : uses_[t]) {
    if (TierAt(t, use.kernel) == kFastTier) continue;
    (use.streamed ? streamed : in_place) = true;
  }
  const auto usable = [&](TierIndex tier) {
    return (!in_place || system_.tiers[tier].addressable) &&
           (!streamed || system_.tiers[tier].streamable);
  };
  while (home_[t] + 1 < system_.tier_count() && !usable(home_[t])) ++home_[t];
  unusable_count_ -= unusable_[t] ? 1 : 0;
  unusable_[t] = !usable(home_[t]);
  unusable_count_ += unusable_[t] ? 1 : 0;
}

void ResidencyJudge::NoteChange(KernelIndex boundary) {
  first_ = std::min(first_, boundary);
  last_ = std::max(last_, boundary);
}

void ResidencyJudge::Hold(TensorIndex t,
                          const std::vector<Residency>& residencies, int sign) {
  const int64_t bytes = sign * OwnBytes(graph_.tensors[t].size_bytes);
  for (const Residency& residency : residencies) {
    excess_.Add(residency.begin, residency.end, bytes);
  }
}

void ResidencyJudge::Replace(ResidencyChange change) {
  const TensorIndex t = change.tensor;
  std::vector<bool> was_fast;
  for (const KernelUse& use : uses_[t]) {
    was_fast.push_back(TierAt(t, use.kernel) == kFastTier);
  }
  Undo undo{.tensor = t, .home = home_[t], .unusable = unusable_[t]};
  Hold(t, residencies_[t], -1);
  undo.residencies =
      std::exchange(residencies_[t], std::move(change.residencies));
  Hold(t, residencies_[t], 1);
  ChooseHome(t);
  ReplaceCopies(t, undo);
  undo_.push_back(std::move(undo));
  for (size_t i = 0; i < uses_[t].size(); ++i) {
    const KernelIndex k = uses_[t][i].kernel;
    const bool is_fast = TierAt(t, k) == kFastTier;
    if (is_fast == was_fast[i] && (is_fast || home_[t] == undo_.back().home)) {
      continue;
    }
    undo_kernel_ns_.push_back({k, kernel_ns_[k]});
    kernel_ns_[k] = KernelNs(k);
    NoteChange(k);
  }
}

ResidencyJudge::Judgement ResidencyJudge::Judge() {
  Simulate();
  const bool usable = unusable_count_ == 0;
  return {.step_ns = usable ? step_ns_ + shift_ns_
                            : std::numeric_limits<int64_t>::max(),
          .excess_bytes = excess_bytes()};
}

void ResidencyJudge::Simulate() {
  shift_ns_ = 0;
  converged_ = first_;
  if (first_ > last_) return;
  const size_t width = state_size();
  const int64_t* before = StateAt(states_, first_);
  std::copy(before, before + width, StateAt(proposed_states_, first_));
  const auto mark_ns = [&](const Copy& copy) {
    return copy.start >= first_ ? copy.proposed_end_mark_ns : copy.end_mark_ns;
  };
  for (KernelIndex b = first_;; ++b) {
    int64_t* state = StateAt(proposed_states_, b);
    int64_t now_ns = state[0];
    if (b > last_ && HasConverged(b, state)) {
      converged_ = b;
      shift_ns_ = now_ns - StateAt(states_, b)[0];
      return;
    }
    lanes_.assign(state + 1, state + width);
    const auto advance_to = [&](int64_t then_ns) {
      clocks_.Advance(now_ns, then_ns, absl::MakeSpan(lanes_));
      now_ns = then_ns;
    };
    work_ += 1 + static_cast<int64_t>(starts_[b].size());
    for (const int id : deadlines_[b]) {
      const Copy& copy = copies_[id];
      advance_to(clocks_.EndNs(copy.lane, mark_ns(copy), now_ns, lanes_));
    }
    for (const int id : starts_[b]) {
      Copy& copy = copies_[id];
      copy.proposed_end_mark_ns = clocks_.Issue(
          copy.lane, now_ns, copy.duration_ns, absl::MakeSpan(lanes_));
      if (!copy.synchronous()) continue;
      advance_to(
          clocks_.EndNs(copy.lane, copy.proposed_end_mark_ns, now_ns, lanes_));
    }
    if (b == kernels_) {
      converged_ = b + 1;
      shift_ns_ = now_ns - step_ns_;
      return;
    }
    int64_t* next = StateAt(proposed_states_, b + 1);
    advance_to(LaterNs(now_ns, graph_.kernels[b].gap_ns));
    clocks_.FreeNs(now_ns, lanes_, absl::MakeSpan(free_ns_));
    advance_to(LaterNs(
        now_ns, interference_.DurationNs(b, now_ns, kernel_ns_[b], free_ns_)));
    next[0] = now_ns;
    std::copy(lanes_.begin(), lanes_.end(), next + 1);
  }
}

bool ResidencyJudge::ChangesHaveEnded(KernelIndex b,
                                      const int64_t* state) const {
  const int64_t* before = StateAt(states_, b);
  for (const Undo& undo : undo_) {
    for (const int id : undo.added) {
      const Copy& copy = copies_[id];
      if (copy.deadline >= b &&
          copy.proposed_end_mark_ns > ClockNs(copy.lane, state)) {
        return false;
      }
    }
    for (const int id : undo.removed) {
      const Copy& copy = copies_[id];
      if (copy.deadline >= b && copy.end_mark_ns > ClockNs(copy.lane, before)) {
        return false;
      }
    }
  }
  return true;
}

// Returns whether the lanes have as much left to do as before, and so has each
// copy under way; no copy that was added or removed is under way.
bool ResidencyJudge::HasConverged(KernelIndex b, const int64_t* state) const {
  const int64_t* before = StateAt(states_, b);
  std::vector<bool> is_open(lane_count_);
  int open = 0;
  for (int lane = 0; lane < lane_count_; ++lane) {
    const int64_t left_ns = BacklogNs(lane, state);
    if (left_ns != BacklogNs(lane, before) ||
        !HasSameLag(lane, state, before)) {
      return false;
    }
    is_open[lane] = left_ns > 0;
    open += is_open[lane] ? 1 : 0;
  }
  if (!ChangesHaveEnded(b, state)) return false;
  for (KernelIndex at = b - 1; at >= first_ && open > 0; --at) {
    for (auto id = starts_[at].rbegin(); id != starts_[at].rend(); ++id) {
      const Copy& copy = copies_[*id];
      if (copy.is_new || !is_open[copy.lane]) continue;
      const auto left_ns = [&](int64_t mark_ns, const int64_t* of) {
        return std::max<int64_t>(0, mark_ns - ClockNs(copy.lane, of));
      };
      const int64_t copy_ns = left_ns(copy.proposed_end_mark_ns, state);
      if (copy_ns != left_ns(copy.end_mark_ns, before)) return false;
      if (copy_ns > 0) continue;
      is_open[copy.lane] = false;
      --open;
    }
  }
  if (open == 0 || state[0] == before[0]) return true;
  // Copies that were under way before the first change have not ended later.
  const int64_t* first = StateAt(states_, first_);
  for (int lane = 0; lane < lane_count_; ++lane) {
    const int64_t earlier_ns =
        std::min(ClockNs(lane, state), ClockNs(lane, before));
    if (is_open[lane] && first[lane + 1] > earlier_ns) return false;
  }
  return true;
}

void ResidencyJudge::Accept() {
  const size_t width = state_size();
  if (converged_ > first_) {
    std::copy(StateAt(proposed_states_, first_),
              StateAt(proposed_states_, converged_ - 1) + width,
              StateAt(states_, first_));
  }
  for (KernelIndex b = first_; b < converged_; ++b) {
    for (const int id : starts_[b]) {
      copies_[id].end_mark_ns = copies_[id].proposed_end_mark_ns;
    }
  }
  if (shift_ns_ != 0) {
    work_ += kernels_ + 1 - converged_;
    for (KernelIndex b = converged_; b <= kernels_; ++b) {
      int64_t* state = StateAt(states_, b);
      for (int i = 0; i <= lane_count_; ++i) state[i] += shift_ns_;
      for (const int id : starts_[b]) copies_[id].end_mark_ns += shift_ns_;
    }
  }
  step_ns_ += shift_ns_;
  for (Undo& undo : undo_) {
    NoteSinceMark(undo.tensor, std::move(undo.residencies));
    for (const int id : undo.added) copies_[id].is_new = false;
    free_copies_.insert(free_copies_.end(), undo.removed.begin(),
                        undo.removed.end());
  }
  Clear();
}

void ResidencyJudge::Reject() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    const TensorIndex t = undo->tensor;
    Hold(t, residencies_[t], -1);
    for (const int id : undo->added) Unlist(id);
    free_copies_.insert(free_copies_.end(), undo->added.begin(),
                        undo->added.end());
    residencies_[t] = std::move(undo->residencies);
    copies_of_[t] = std::move(undo->copies);
    home_[t] = undo->home;
    unusable_count_ += (undo->unusable ? 1 : 0) - (unusable_[t] ? 1 : 0);
    unusable_[t] = undo->unusable;
    Hold(t, residencies_[t], 1);
    for (const int id : undo->removed) List(id);
  }
  for (auto at = undo_kernel_ns_.rbegin(); at != undo_kernel_ns_.rend(); ++at) {
    kernel_ns_[at->first] = at->second;
  }
  Clear();
}

void ResidencyJudge::NoteSinceMark(TensorIndex t,
                                   std::vector<Residency> residencies) {
  if (changed_since_[t] == mark_) return;
  changed_since_[t] = mark_;
  since_mark_.push_back({t, std::move(residencies)});
}

const std::vector<Residency>& ResidencyJudge::AcceptedResidencies(
    TensorIndex t) const {
  const auto at =
      std::find_if(undo_.begin(), undo_.end(),
                   [&](const Undo& undo) { return undo.tensor == t; });
  return at == undo_.end() ? residencies_[t] : at->residencies;
}

void ResidencyJudge::SetOffsets(TensorIndex t,
                                const std::vector<Residency>& residencies) {
  const bool is_proposed = &AcceptedResidencies(t) != &residencies_[t];
  std::vector<Residency> before = std::exchange(residencies_[t], residencies);
  if (!is_proposed) NoteSinceMark(t, std::move(before));
}

void ResidencyJudge::Mark() {
  since_mark_.clear();
  ++mark_;
}

ResidenciesByTensor ResidencyJudge::Marked() const {
  ResidenciesByTensor marked = residencies_;
  for (const ResidencyChange& change : since_mark_) {
    marked[change.tensor] = change.residencies;
  }
  return marked;
}

void ResidencyJudge::Clear() {
  undo_.clear();
  undo_kernel_ns_.clear();
  first_ = kernels_ + 1;
  last_ = -1;
}

std::vector<int64_t> ResidencyJudge::LostNs() const {
  std::vector<int64_t> lost_ns;
  for (KernelIndex k = 0; k < kernels_; ++k) {
    const Kernel& kernel = graph_.kernels[k];
    const int64_t end_ns = StateAt(states_, k + 1)[0];
    lost_ns.push_back(end_ns - StateAt(states_, k)[0] - kernel.gap_ns -
                      kernel.profile.fast_inputs_fast_outputs.duration_ns);
  }
  lost_ns.back() += step_ns_ - StateAt(states_, kernels_)[0];
  return lost_ns;
}

}  // namespace stowage::policies
