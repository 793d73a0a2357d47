#include "agents/jobs/planning/plan_table.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "agents/jobs/planning/whole_pages.h"
#include "agents/jobs/records/fixed_text.h"

namespace stowage::agent {
namespace {

class TableWriter {
 public:
  TableWriter(const v1::Plan& plan, const GraphBinding& binding,
              const std::vector<int64_t>& capacity_bytes,
              session::PlanArea* area)
      : plan_(plan),
        binding_(binding),
        capacity_bytes_(capacity_bytes),
        area_(area),
        kernel_count_(binding.graph.kernels_size()) {}

  absl::Status Write() {
    if (plan_.implementations_size() > 0) {
      return Refuse("implementations",
                    "chooses how kernels run, which a job "
                    "leaves to its framework");
    }
    WriteHead();
    if (absl::Status s = WriteInitial(); !s.ok()) return s;
    if (absl::Status s = WriteMoves(); !s.ok()) return s;
    if (absl::Status s = WriteAllocations(); !s.ok()) return s;
    return WriteStreams();
  }

 private:
  static absl::Status Refuse(absl::string_view where, absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("plan: ", where, " ", why,
                     "; service and agent may be of different releases"));
  }

  const v1::Tensor& tensor(int32_t index) const {
    return binding_.graph.tensors(index);
  }

  absl::Status CheckTensor(absl::string_view where, int32_t index) const {
    if (index >= 0 && index < binding_.graph.tensors_size()) {
      return absl::OkStatus();
    }
    return Refuse(where, absl::StrCat("names tensor ", index, " of ",
                                      binding_.graph.tensors_size()));
  }

  // Returns OK if the tensor exists and all of it lies within the tier's arena.
  absl::Status CheckPlace(absl::string_view where, int32_t index,
                          const v1::Placement& at) const {
    if (absl::Status s = CheckTensor(where, index); !s.ok()) return s;
    if (at.tier() < 0 || at.tier() >= capacity_bytes_.size()) {
      return Refuse(where, absl::StrCat("names tier ", at.tier()));
    }
    return CheckRoom(where, at.tier(), at.offset_bytes(),
                     WholePages(tensor(index).size_bytes()));
  }

  absl::Status CheckWindow(const v1::Stream& stream) const {
    return CheckRoom("streams", session::kFastTier,
                     stream.window_offset_bytes(), stream.window_bytes());
  }

  // Returns OK if the room is of whole pages and within the tier's arena.
  absl::Status CheckRoom(absl::string_view where, int32_t tier,
                         int64_t offset_bytes, int64_t bytes) const {
    const int64_t capacity = capacity_bytes_[tier];
    if (offset_bytes < 0 || offset_bytes % session::kPageBytes != 0 ||
        bytes < 0 || bytes % session::kPageBytes != 0 || bytes > capacity ||
        offset_bytes > capacity - bytes) {
      return Refuse(
          where, absl::StrCat("puts ", bytes, " bytes at offset ", offset_bytes,
                              " of a tier of ", capacity, " bytes"));
    }
    return absl::OkStatus();
  }

  void WriteHead() {
    area_->signature = binding_.signature;
    SetText(area_->policy, plan_.policy());
    const v1::Prediction& prediction = plan_.prediction();
    area_->predicted = {.step_ns = prediction.step_time_ns(),
                        .stall_ns = prediction.stall_ns(),
                        .stream_ns = prediction.stream_ns(),
                        .slowdown_ns = prediction.slowdown_ns()};
    for (const v1::Kernel& kernel : binding_.graph.kernels()) {
      area_->predicted.gaps_ns += kernel.gap_ns();
    }
    area_->fast_limit_bytes = plan_.fast_limit_bytes();
    area_->tensor_count = static_cast<uint32_t>(binding_.graph.tensors_size());
  }

  absl::Status WriteInitial() {
    if (plan_.initial_size() > session::kMaxBlocks) {
      return Refuse("initial", "is too long");
    }
    uint32_t count = 0;
    for (int i = 0; i < plan_.initial_size(); ++i) {
      const v1::Allocation& initial = plan_.initial(i);
      const std::string where = absl::StrCat("initial[", i, "]");
      absl::Status s = CheckPlace(where, initial.tensor(), initial.at());
      if (!s.ok()) return s;
      const std::optional<InitialKey>& key = binding_.initial[initial.tensor()];
      if (!key) return Refuse(where, "is not alive when a step begins");
      area_->initial[count++] = {
          .tensor = initial.tensor(),
          .tier = initial.at().tier(),
          .offset_bytes = initial.at().offset_bytes(),
          .size_bytes = tensor(initial.tensor()).size_bytes(),
          .block_id = key->block_id,
          .birth_kernel = key->birth_kernel,
          .birth_ordinal = key->birth_ordinal};
    }
    area_->initial_count = count;
    return absl::OkStatus();
  }

  absl::Status CheckMove(int index) const {
    const v1::Move& move = plan_.moves(index);
    const std::string where = absl::StrCat("moves[", index, "]");
    if (absl::Status s = CheckPlace(where, move.tensor(), move.from());
        !s.ok()) {
      return s;
    }
    if (absl::Status s = CheckPlace(where, move.tensor(), move.to()); !s.ok()) {
      return s;
    }
    const int32_t earliest =
        index == 0 ? 0 : plan_.moves(index - 1).start_kernel();
    if (move.start_kernel() < earliest ||
        move.deadline_kernel() < move.start_kernel() ||
        move.deadline_kernel() > kernel_count_) {
      return Refuse(
          where, absl::StrCat("goes from kernel ", move.start_kernel(), " to ",
                              move.deadline_kernel()));
    }
    return CheckFlags(where, move);
  }

  static absl::Status CheckFlags(absl::string_view where,
                                 const v1::Move& move) {
    const bool from_fast = move.from().tier() == session::kFastTier;
    const bool to_fast = move.to().tier() == session::kFastTier;
    if (move.keeps_source() && (from_fast || !to_fast)) {
      return Refuse(
          where,
          absl::StrCat("keeps its source on its way from tier ",
                       move.from().tier(), " to tier ", move.to().tier()));
    }
    if (move.is_drop() && (!from_fast || to_fast ||
                           move.start_kernel() != move.deadline_kernel())) {
      return Refuse(
          where,
          absl::StrCat("is a drop from tier ", move.from().tier(), " to tier ",
                       move.to().tier(), ", kernel ", move.start_kernel(),
                       " to ", move.deadline_kernel()));
    }
    return absl::OkStatus();
  }

  // Checks a move. `keeper` is the tensor's last move if that one keeps its
  // source, else null.
  static absl::Status CheckPair(absl::string_view where, const v1::Move* keeper,
                                const v1::Move& move) {
    if (!move.is_drop()) {
      return keeper == nullptr
                 ? absl::OkStatus()
                 : Refuse(where,
                          absl::StrCat("is no drop, but tensor ", move.tensor(),
                                       "'s last move keeps its source"));
    }
    if (keeper == nullptr || keeper->from().tier() != move.to().tier() ||
        keeper->from().offset_bytes() != move.to().offset_bytes() ||
        keeper->deadline_kernel() > move.start_kernel()) {
      return Refuse(where, absl::StrCat("drops tensor ", move.tensor(),
                                        " to offset ", move.to().offset_bytes(),
                                        " of tier ", move.to().tier(),
                                        ", which its last move does not keep"));
    }
    return absl::OkStatus();
  }

  // Checks that a drop, which returns to the source, follows each move that
  // keeps its source.
  absl::Status CheckPairs() const {
    std::vector<const v1::Move*> keepers(binding_.graph.tensors_size());
    for (int i = 0; i < plan_.moves_size(); ++i) {
      const v1::Move& move = plan_.moves(i);
      const v1::Move*& keeper = keepers[move.tensor()];
      absl::Status s = CheckPair(absl::StrCat("moves[", i, "]"), keeper, move);
      if (!s.ok()) return s;
      keeper = move.keeps_source() ? &move : nullptr;
    }
    for (const v1::Move* keeper : keepers) {
      if (keeper == nullptr) continue;
      return Refuse(
          "moves", absl::StrCat("keeps the source of tensor ", keeper->tensor(),
                                " and never drops it"));
    }
    return absl::OkStatus();
  }

  static uint32_t FlagsOf(const v1::Move& move) {
    return (move.keeps_source() ? session::kMoveKeepsSource : 0u) |
           (move.is_drop() ? session::kMoveIsDrop : 0u);
  }

  absl::Status WriteMoves() {
    if (plan_.moves_size() > session::kMaxMoves) {
      return Refuse("moves",
                    absl::StrCat("has ", plan_.moves_size(), " entries; ",
                                 session::kMaxMoves, " fit"));
    }
    for (int i = 0; i < plan_.moves_size(); ++i) {
      if (absl::Status s = CheckMove(i); !s.ok()) return s;
      const v1::Move& move = plan_.moves(i);
      area_->moves[i] = {
          .tensor = move.tensor(),
          .from_tier = move.from().tier(),
          .to_tier = move.to().tier(),
          .start_kernel = move.start_kernel(),
          .deadline_kernel = move.deadline_kernel(),
          .flags = FlagsOf(move),
          .from_offset_bytes = move.from().offset_bytes(),
          .to_offset_bytes = move.to().offset_bytes(),
          .size_bytes = WholePages(tensor(move.tensor()).size_bytes())};
    }
    area_->move_count = static_cast<uint32_t>(plan_.moves_size());
    return CheckPairs();
  }

  // Finds where the plan allocates each tensor; null if it does not.
  absl::Status CollectPlaces(std::vector<const v1::Placement*>& places) const {
    places.assign(binding_.graph.tensors_size(), nullptr);
    for (int i = 0; i < plan_.allocations_size(); ++i) {
      const v1::Allocation& allocation = plan_.allocations(i);
      absl::Status s = CheckPlace(absl::StrCat("allocations[", i, "]"),
                                  allocation.tensor(), allocation.at());
      if (!s.ok()) return s;
      places[allocation.tensor()] = &allocation.at();
    }
    return absl::OkStatus();
  }

  // Finds where persistent tensors are born: a plan allocates none of them, and
  // has them where the moves up to their birth have brought them.
  void FollowPersistentTensors(
      std::vector<const v1::Placement*>& places) const {
    std::vector<int32_t> birth_kernels(places.size(), -1);
    for (const Birth& birth : binding_.births) {
      if (tensor(birth.tensor).persistent()) {
        birth_kernels[birth.tensor] = birth.kernel;
      }
    }
    for (const v1::Allocation& initial : plan_.initial()) {
      if (birth_kernels[initial.tensor()] >= 0) {
        places[initial.tensor()] = &initial.at();
      }
    }
    for (const v1::Move& move : plan_.moves()) {
      if (move.deadline_kernel() <= birth_kernels[move.tensor()]) {
        places[move.tensor()] = &move.to();
      }
    }
  }

  absl::Status WriteAllocations() {
    std::vector<const v1::Placement*> places;
    if (absl::Status s = CollectPlaces(places); !s.ok()) return s;
    FollowPersistentTensors(places);
    uint32_t written = 0;
    auto birth = binding_.births.begin();
    for (int32_t k = 0; k < kernel_count_; ++k) {
      const uint32_t first = written;
      for (; birth != binding_.births.end() && birth->kernel == k; ++birth) {
        if (first + static_cast<uint64_t>(birth->ordinal) >=
            session::kMaxBlocks) {
          return Refuse(absl::StrCat("kernel ", k), "allocates too often");
        }
        const v1::Placement* at = places[birth->tensor];
        if (at == nullptr) {
          return Refuse(absl::StrCat("tensor ", birth->tensor),
                        "has no allocation");
        }
        for (; written < first + birth->ordinal; ++written) {
          area_->allocations[written] = {.tensor = -1};
        }
        area_->allocations[written++] = {
            .tensor = birth->tensor,
            .tier = at->tier(),
            .offset_bytes = at->offset_bytes(),
            .size_bytes = tensor(birth->tensor).size_bytes()};
      }
      area_->kernels[k] = {.key = binding_.kernel_keys[k],
                           .first_allocation = first,
                           .allocation_count = written - first,
                           .duration_ns = binding_.graph.kernels(k)
                                              .profile()
                                              .fast_inputs_fast_outputs()
                                              .duration_ns()};
    }
    area_->kernel_count = static_cast<uint32_t>(kernel_count_);
    area_->allocation_count = written;
    return absl::OkStatus();
  }

  absl::Status WriteStreams() {
    uint32_t written = 0;
    for (const v1::Stream& stream : plan_.streams()) {
      if (stream.kernel() < 0 || stream.kernel() >= kernel_count_ ||
          stream.tensors_size() > session::kMaxBlocks - written) {
        return Refuse("streams",
                      absl::StrCat("has ", stream.tensors_size(),
                                   " tensors at kernel ", stream.kernel()));
      }
      if (absl::Status s = CheckWindow(stream); !s.ok()) return s;
      for (int32_t streamed : stream.tensors()) {
        if (absl::Status s = CheckTensor("streams", streamed); !s.ok()) {
          return s;
        }
        area_->streams[written++] = {
            .kernel = stream.kernel(),
            .tensor = streamed,
            .window_offset_bytes = stream.window_offset_bytes(),
            .window_bytes = stream.window_bytes()};
      }
    }
    area_->stream_count = written;
    return absl::OkStatus();
  }

  const v1::Plan& plan_;
  const GraphBinding& binding_;
  const std::vector<int64_t>& capacity_bytes_;
  session::PlanArea* const area_;
  const int32_t kernel_count_;
};

}  // namespace

absl::Status FillPlanArea(const v1::Plan& plan, const GraphBinding& binding,
                          const std::vector<int64_t>& capacity_bytes,
                          session::PlanArea* area) {
  return TableWriter(plan, binding, capacity_bytes, area).Write();
}

}  // namespace stowage::agent
