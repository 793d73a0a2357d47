// Keeps addresses of residencies in the fast tier while these change. A
// residency that changes stays where it is, or finds another place; a few
// others may give way to it and find other places themselves.
//
//   ResidencyPlaces places(graph, arena_bytes, residencies);
//   if (places.Replace({3, 7}, judge.residencies(), {.obstacles = 200})) {
//     int64_t offset_bytes = places.residencies()[3][0].offset_bytes;
//   }
//
// Keeps a reference to the graph. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_PLACES_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "policies/layout/cheapest_offset.h"
#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/annealing/place_index.h"
#include "policies/search/annealing/residency_neighbour.h"

namespace stowage::policies {

class ResidencyPlaces {
 public:
  struct Effort {
    // The most residencies that give way.
    int displaced = 0;
    // The most obstacles of one residency, whatever its address; with more, it
    // is given up.
    size_t obstacles = 0;
  };

  // Begins with `residencies`, which have offsets at which no two overlap.
  ResidencyPlaces(const Graph& graph, int64_t arena_bytes,
                  ResidenciesByTensor residencies);

  // Replaces the residencies of `changed` by those in `residencies`, at their
  // old places if possible (their offsets). Returns false, and changes nothing,
  // if no places are found. Tensors that have to give way to others should be
  // listed behind them.
  bool Replace(absl::Span<const TensorIndex> changed,
               const ResidenciesByTensor& residencies, const Effort& effort);

  // Returns the residencies of tensors to what they were at some time; `before`
  // has all that changed since then.
  void Return(const std::vector<ResidencyChange>& before);

  const ResidenciesByTensor& residencies() const { return residencies_; }
  // Tensors whose residencies or offsets the last Replace changed.
  const std::vector<TensorIndex>& touched() const { return touched_; }
  // Returns how many obstacles were looked at so far.
  int64_t work() const { return work_; }

 private:
  using Residencies = std::vector<Residency>;

  // Holds, by index, the residencies of a tensor that are in one place: two
  // that meet across the end of the step, else one.
  struct Item {
    TensorIndex tensor = 0;
    int first = 0;
    int second = -1;
    int64_t wanted_bytes = -1;  // an offset that may be free
  };
  Item ItemOf(TensorIndex t, int residency) const;
  int64_t BytesOf(TensorIndex t) const;
  Holding HoldingOf(TensorIndex t, const Residency& residency) const;
  void Hold(TensorIndex t, const Residency& residency);
  // Releases the place; from here on the residency has no offset.
  void Release(TensorIndex t, Residency& residency);
  void Release(const Item& item);

  // Remembers the residencies of a tensor for Restore.
  void Touch(TensorIndex t);
  void Restore();
  // Sets the residencies. Those that begin and end as before keep their offset;
  // others have none.
  void SetResidencies(TensorIndex t, const Residencies& residencies);
  // Lets residencies stay where they were if they may; all others have to wait.
  void KeepOrWait(TensorIndex t, const Residencies& wanted);
  bool IsFreeAsBefore(TensorIndex t, const Residency& residency);

  bool PlaceWaiting();
  bool Place(const Item& item);
  bool FindObstacles(const Item& item);
  bool IsFree(int64_t offset_bytes, int64_t bytes) const;
  // Returns the offset of the tightest hole; -1 if there is none.
  int64_t TightestHole(int64_t bytes);
  // Returns the offset where least gives way; -1 if something cannot give way.
  int64_t FindCheapest(int64_t bytes);
  void Displace(int64_t offset_bytes, int64_t bytes);

  const Graph& graph_;
  const int64_t arena_bytes_;
  ResidenciesByTensor residencies_;
  PlaceIndex index_;
  int64_t work_ = 0;

  // State of the last Replace.
  Effort effort_;
  std::vector<TensorIndex> touched_;
  std::vector<Residencies> before_;  // parallel to it
  std::vector<Item> waiting_;
  int displaced_ = 0;
  std::vector<Holding> obstacles_;
  CheapestOffset search_;
  std::vector<uint64_t> spans_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_PLACES_H_
