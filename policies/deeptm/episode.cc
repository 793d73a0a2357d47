#include "policies/deeptm/episode.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "policies/planning/staging.h"

namespace stowage::policies {
namespace {

// Decision::kDemand of a full room.
constexpr uint8_t kAllOfTheRoom = 128;

class EpisodeRun {
 public:
  EpisodeRun(const Environment& environment, const EpisodeOptions& options,
             const std::vector<bool>& fast_at_start, Actor& actor)
      : env_(environment),
        options_(options),
        fast_at_start_(fast_at_start),
        actor_(actor),
        positions_(env_.graph().tensors.size(), Position::kNone),
        residencies_(positions_.size()),
        preferences_(positions_.size(), 0) {
    for (TensorIndex t = 0; t < env_.graph().tensor_count(); ++t) {
      // Kernels find tensors that cannot move in the fast tier.
      if (!env_.graph().tensors[t].movable()) positions_[t] = Position::kFast;
    }
    for (TensorIndex t : env_.alive_at_start()) {
      if (fast_at_start[t]) {
        Enter(t, 0, /*moved_in=*/false);
        positions_[t] = Position::kFast;
      } else {
        BeSlow(t);
      }
    }
  }

  EpisodeOutcome Run() {
    const KernelIndex kernels = env_.graph().kernel_count();
    for (KernelIndex k = 0; k < kernels; ++k) {
      if (env_.workload().cancellation.IsCancelled()) return Nothing();
      ReachBoundary(k);
      DecideKernel(k);
      if (outcome_.out_of_memory) {
        actor_.Learn(k, rewards_);
        return std::move(outcome_);
      }
      RunKernel(k);
    }
    ReachBoundary(kernels);
    Finish(kernels);
    outcome_.step_time_ns = now_ns_;
    return std::move(outcome_);
  }

 private:
  EpisodeOutcome Nothing() const {
    EpisodeOutcome nothing;
    nothing.fast_at_end.assign(positions_.size(), false);
    return nothing;
  }

  // Describes a residency in the fast tier that has not ended.
  struct OpenResidency {
    KernelIndex begin = 0;
    KernelIndex ready = 0;
    bool moved_in = false;
  };

  // --- what may happen to a tensor ---

  void Enter(TensorIndex t, KernelIndex b, bool moved_in) {
    residencies_[t] = {b, b, moved_in};
    held_bytes_ += env_.Bytes(t);
  }

  void Leave(TensorIndex t, KernelIndex leave, KernelIndex end,
             bool moved_out) {
    held_bytes_ -= env_.Bytes(t);
    if (!options_.record) return;
    const OpenResidency& residency = residencies_[t];
    outcome_.residencies.push_back({t, residency.begin, residency.ready, leave,
                                    end, residency.moved_in, moved_out});
  }

  void BeSlow(TensorIndex t) {
    positions_[t] = Position::kSlow;
    slow_bytes_ += env_.Bytes(t);
  }

  void BeFast(TensorIndex t) {
    if (positions_[t] == Position::kSlow) slow_bytes_ -= env_.Bytes(t);
    positions_[t] = Position::kFast;
  }

  void BeBorn(TensorIndex t, KernelIndex k, bool fast) {
    if (!fast) return BeSlow(t);
    Enter(t, k, /*moved_in=*/false);
    BeFast(t);
  }

  void MoveInNow(TensorIndex t, KernelIndex b) {
    now_ns_ += env_.InNs(t);
    Enter(t, b, /*moved_in=*/true);
    BeFast(t);
  }

  void MoveOutNow(TensorIndex t, KernelIndex b) {
    now_ns_ += env_.OutNs(t);
    Leave(t, b, b, /*moved_out=*/true);
    BeSlow(t);
  }

  void BeginIn(TensorIndex t, KernelIndex k) {
    in_ns_ += env_.InNs(t);
    Enter(t, k, /*moved_in=*/true);
    coming_.push_back(t);
  }

  void BeginOut(TensorIndex t) {
    out_ns_ += env_.OutNs(t);
    going_.push_back(t);
  }

  // --- one kernel ---

  // Frees tensors that have died and completes moves of the last kernel.
  void ReachBoundary(KernelIndex b) {
    for (TensorIndex t : going_) {
      Leave(t, b - 1, b, /*moved_out=*/true);
      BeSlow(t);
    }
    for (TensorIndex t : coming_) {
      residencies_[t].ready = b;
      BeFast(t);
    }
    going_.clear();
    coming_.clear();
    in_ns_ = out_ns_ = 0;
    for (TensorIndex t : env_.Deaths(b)) {
      if (positions_[t] == Position::kFast) Leave(t, b, b, false);
      if (positions_[t] == Position::kSlow) slow_bytes_ -= env_.Bytes(t);
      positions_[t] = Position::kNone;
    }
  }

  bool synchronous() const {
    return env_.mode() == MigrationMode::kSynchronous;
  }

  void DecideKernel(KernelIndex k) {
    room_bytes_ = env_.RoomBytes(k, options_.budget_bytes);
    const std::vector<Decision>& decisions = env_.Decisions(k);
    actions_.assign(decisions.size(), {});
    rewards_.clear();
    moved_.clear();
    const KernelState state = StateAt(k);
    if (!decisions.empty()) actor_.Act(state, actions_);
    for (size_t i = 0; i < decisions.size(); ++i) {
      preferences_[decisions[i].tensor] = actions_[i].preference;
    }
    if (options_.learn) JudgeDemand(k);
    if (outcome_.out_of_memory) return;
    ObeyDemands(k);
    PlaceUndecidedBirths(k);
    ApplyActions(k);
  }

  KernelState StateAt(KernelIndex k) const {
    const auto share = [](int64_t part, int64_t whole) {
      return whole > 0 ? static_cast<float>(static_cast<double>(part) / whole)
                       : 0.0f;
    };
    return {.kernel = k,
            .decisions = env_.Decisions(k),
            .positions = positions_,
            .fast_left = share(room_bytes_ - held_bytes_, room_bytes_),
            .slow_left = share(env_.slow_capacity_bytes() - slow_bytes_,
                               env_.slow_capacity_bytes())};
  }

  // Brings into the fast tier the tensors that the kernel can use nowhere else,
  // and out of it those that have to be streamed, whatever the actor says.
  void ObeyDemands(KernelIndex k) {
    for (TensorIndex t : env_.MustBeSlow(k)) {
      if (positions_[t] == Position::kFast) MoveOutNow(t, k);
      if (positions_[t] == Position::kNone) BeSlow(t);
    }
    int64_t wanted_bytes = 0;
    for (TensorIndex t : env_.MustBeFast(k)) {
      if (positions_[t] != Position::kFast) wanted_bytes += env_.Bytes(t);
    }
    if (held_bytes_ + wanted_bytes > room_bytes_) Evict(k, wanted_bytes);
    for (TensorIndex t : env_.MustBeFast(k)) {
      if (positions_[t] == Position::kNone) BeBorn(t, k, /*fast=*/true);
      if (positions_[t] == Position::kSlow) MoveInNow(t, k);
    }
  }

  // Moves out the tensors that the actor prefers least until `wanted_bytes`
  // have room.
  void Evict(KernelIndex k, int64_t wanted_bytes) {
    std::vector<TensorIndex> victims;
    const std::vector<TensorIndex>& needed = env_.MustBeFast(k);
    for (TensorIndex t = 0; t < env_.graph().tensor_count(); ++t) {
      const bool fast =
          positions_[t] == Position::kFast && env_.graph().tensors[t].movable();
      if (!fast) continue;
      if (std::find(needed.begin(), needed.end(), t) != needed.end()) continue;
      victims.push_back(t);
    }
    std::sort(
        victims.begin(), victims.end(), [&](TensorIndex a, TensorIndex b) {
          return std::tie(preferences_[a], a) < std::tie(preferences_[b], b);
        });
    for (TensorIndex t : victims) {
      if (held_bytes_ + wanted_bytes <= room_bytes_) return;
      MoveOutNow(t, k);
    }
  }

  // Places new tensors without a decision in the fast tier while there is room.
  void PlaceUndecidedBirths(KernelIndex k) {
    if (env_.IsShort(k)) return;
    for (TensorIndex t : env_.Births(k)) {
      if (positions_[t] != Position::kNone) continue;
      BeBorn(t, k, held_bytes_ + env_.Bytes(t) <= room_bytes_);
    }
  }

  void ApplyActions(KernelIndex k) {
    const std::vector<Decision>& decisions = env_.Decisions(k);
    std::vector<int>& wishes = wishes_;
    wishes.clear();
    for (int i = 0; i < static_cast<int>(decisions.size()); ++i) {
      const TensorIndex t = decisions[i].tensor;
      const Position position = positions_[t];
      if (actions_[i].fast && position != Position::kFast) {
        wishes.push_back(i);
      } else if (!actions_[i].fast && position == Position::kNone) {
        BeSlow(t);
      } else if (!actions_[i].fast && position == Position::kFast) {
        synchronous() ? MoveOutNow(t, k) : BeginOut(t);
        moved_.push_back({i, env_.OutNs(t)});
      }
    }
    GrantWishes(k, wishes);
  }

  void GrantWishes(KernelIndex k, std::vector<int>& wishes) {
    std::sort(wishes.begin(), wishes.end(), [&](int a, int b) {
      return std::tuple(-actions_[a].preference, a) <
             std::tuple(-actions_[b].preference, b);
    });
    for (int i : wishes) {
      const TensorIndex t = env_.Decisions(k)[i].tensor;
      if (held_bytes_ + env_.Bytes(t) > room_bytes_) {
        if (positions_[t] == Position::kNone) BeSlow(t);
        continue;
      }
      if (positions_[t] == Position::kNone) {
        BeBorn(t, k, /*fast=*/true);
        continue;
      }
      synchronous() ? MoveInNow(t, k) : BeginIn(t, k);
      moved_.push_back({i, env_.InNs(t)});
    }
  }

  // Judges what the actor asks for. All tensors that are to be fast count,
  // whether they are there, come or find no room. Those that are accessed last
  // are the ones for which there is no room.
  void JudgeDemand(KernelIndex k) {
    const std::vector<Decision>& decisions = env_.Decisions(k);
    const auto budget_bytes =
        static_cast<double>(std::max<int64_t>(1, options_.budget_bytes));
    int64_t asked_bytes = 0;
    for (size_t i = 0; i < decisions.size(); ++i) {
      if (!actions_[i].fast) continue;
      const Decision& decision = decisions[i];
      const int64_t bytes = env_.Bytes(decision.tensor);
      if (!actions_[i].random) asked_bytes += bytes;
      if (decision.features[Decision::kDemand] <= kAllOfTheRoom) continue;
      const double share = static_cast<double>(bytes) / budget_bytes;
      Reward(decision.tensor, -options_.oom_penalty * share);
    }
    outcome_.out_of_memory =
        options_.oom_tolerance >= 0 &&
        asked_bytes > (1 + options_.oom_tolerance) * budget_bytes;
  }

  void RunKernel(KernelIndex k) {
    outcome_.fast_peak_bytes =
        std::max(outcome_.fast_peak_bytes, held_bytes_ + env_.FixedBytes(k));
    outcome_.slow_peak_bytes = std::max(outcome_.slow_peak_bytes, slow_bytes_);
    const int64_t kernel_ns = env_.KernelNs(
        k, [&](TensorIndex t) { return positions_[t] == Position::kFast; });
    const int64_t stall_ns =
        std::max<int64_t>(0, std::max(in_ns_, out_ns_) - kernel_ns);
    now_ns_ += kernel_ns + stall_ns;
    if (!options_.learn) return;
    RewardOperands(k);
    RewardMoves(stall_ns, k);
    ChargeRoom(k);
    actor_.Learn(k, rewards_);
  }

  void Reward(TensorIndex t, double reward) {
    rewards_.push_back({t, static_cast<float>(reward)});
    outcome_.reward += reward;
  }

  // Rewards fast operands by what the kernel would lose if they were slow (eq.
  // 8).
  void RewardOperands(KernelIndex k) {
    const double unit = options_.time_weight / env_.mean_loss_ns();
    const std::vector<Operand>& operands = env_.graph().kernels[k].operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      const TensorIndex t = operands[i].tensor;
      if (positions_[t] != Position::kFast) continue;
      Reward(t, unit * static_cast<double>(env_.LossNs(k, i)));
    }
  }

  // Subtracts m_nor, what the kernel waited for the migration (eq. 8).
  void RewardMoves(int64_t stall_ns, KernelIndex k) {
    int64_t total_ns = 0;
    for (const auto& [i, ns] : moved_) total_ns += ns;
    if (total_ns == 0) return;
    const double waited =
        synchronous() ? 1.0 : static_cast<double>(stall_ns) / total_ns;
    const double unit = options_.time_weight * waited / env_.mean_loss_ns();
    for (const auto& [i, ns] : moved_) {
      Reward(env_.Decisions(k)[i].tensor, -unit * static_cast<double>(ns));
    }
  }

  // Charges the price of eq. 13, kernel by kernel.
  void ChargeRoom(KernelIndex k) {
    if (options_.room_weight == 0) return;
    const double unit =
        options_.room_weight / static_cast<double>(env_.peak_bytes());
    for (const Decision& decision : env_.Decisions(k)) {
      const TensorIndex t = decision.tensor;
      if (positions_[t] != Position::kFast) continue;
      Reward(t, -unit * static_cast<double>(env_.Bytes(t)));
    }
  }

  void Finish(KernelIndex end) {
    if (options_.cyclic) ReturnToStart(end);
    outcome_.fast_at_end.assign(positions_.size(), false);
    for (TensorIndex t = 0; t < env_.graph().tensor_count(); ++t) {
      if (!env_.graph().tensors[t].movable()) continue;
      if (positions_[t] != Position::kFast) continue;
      outcome_.fast_at_end[t] = true;
      Leave(t, end + 1, end + 1, /*moved_out=*/false);
    }
    if (!options_.record) return;
    for (const Residency& fixed : ImmovableResidencies(env_.graph())) {
      outcome_.residencies.push_back(fixed);
    }
    std::sort(outcome_.residencies.begin(), outcome_.residencies.end(),
              [](const Residency& a, const Residency& b) {
                return std::tie(a.tensor, a.begin, a.end) <
                       std::tie(b.tensor, b.begin, b.end);
              });
  }

  void ReturnToStart(KernelIndex end) {
    for (TensorIndex t = 0; t < env_.graph().tensor_count(); ++t) {
      const bool leaves = env_.graph().tensors[t].movable() &&
                          positions_[t] == Position::kFast &&
                          !fast_at_start_[t];
      if (leaves) MoveOutNow(t, end);
    }
    for (TensorIndex t : env_.alive_at_start()) {
      const bool comes = fast_at_start_[t] && positions_[t] == Position::kSlow;
      if (comes) MoveInNow(t, end);
    }
  }

  const Environment& env_;
  const EpisodeOptions& options_;
  const std::vector<bool>& fast_at_start_;
  Actor& actor_;

  std::vector<Position> positions_;         // by tensor
  std::vector<OpenResidency> residencies_;  // by tensor
  std::vector<float> preferences_;          // by tensor: the last
  std::vector<TensorIndex> coming_, going_;
  int64_t in_ns_ = 0;  // of the copies that run beside this kernel
  int64_t out_ns_ = 0;
  int64_t now_ns_ = 0;
  // Bytes of movable tensors, copies under way included.
  int64_t held_bytes_ = 0;
  int64_t slow_bytes_ = 0;

  // State of the present kernel.
  int64_t room_bytes_ = 0;
  std::vector<Action> actions_;
  std::vector<TensorReward> rewards_;
  std::vector<std::pair<int, int64_t>> moved_;  // decision, duration
  std::vector<int> wishes_;
  EpisodeOutcome outcome_;
};

}  // namespace

EpisodeOutcome RunEpisode(const Environment& environment,
                          const EpisodeOptions& options,
                          const std::vector<bool>& fast_at_start,
                          Actor& actor) {
  return EpisodeRun(environment, options, fast_at_start, actor).Run();
}

std::vector<bool> FindSteadyStart(const Environment& environment,
                                  const EpisodeOptions& options, Actor& actor) {
  EpisodeOptions free = options;
  free.record = free.cyclic = false;
  const std::vector<bool> nothing(environment.graph().tensors.size(), false);
  const std::vector<bool> first =
      RunEpisode(environment, free, nothing, actor).fast_at_end;
  std::vector<bool> both =
      RunEpisode(environment, free, first, actor).fast_at_end;
  for (size_t t = 0; t < both.size(); ++t) both[t] = both[t] && first[t];
  return both;
}

}  // namespace stowage::policies
