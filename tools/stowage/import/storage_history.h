// Follows the storages of a trace from call to call. Storage ids are recycled:
// an output that is no input of a call is a new allocation, and the storage
// that had its id before is gone.
//
//   StorageHistory history(trace);
//   for (const OperatorCall& call : calls) {
//     effects.push_back(history.Apply(call));
//   }
//
// Borrows the trace. Not thread-safe.
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_STORAGE_HISTORY_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_STORAGE_HISTORY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/stowage/import/operator_call.h"
#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

// One allocation.
struct StorageInstance {
  std::string device;
  // The call that made it; -1: it was there before the trace began.
  int birth_call = -1;
  int birth_ordinal = 0;  // among the call's allocations
  // The largest window that was seen. A view may be expanded, that is, claim
  // more elements than the storage has, so views count only if nothing else is
  // known.
  int64_t extent_bytes = 0;
  int64_t view_extent_bytes = 0;

  int64_t size_bytes() const {
    return extent_bytes > 0 ? extent_bytes : view_extent_bytes;
  }
};

struct InstanceUse {
  bool read = false;
  bool write = false;
  int32_t access_count = 0;
  bool internal = true;  // only nodes inside the call name it
};

// What one call does to storages, by index into instances().
using CallEffects = std::map<int, InstanceUse>;

class StorageHistory {
 public:
  explicit StorageHistory(const ExecutionTrace& trace) : trace_(trace) {}

  // Applies a call and returns its effects. Calls must come in order. The
  // effects of a pure view write nothing.
  CallEffects Apply(const OperatorCall& call);

  const std::vector<StorageInstance>& instances() const { return instances_; }

 private:
  // The call that is being applied.
  struct Current {
    int call = 0;
    int node = 0;
    int births = 0;
    CallEffects effects;
  };

  // A node that has begun and not ended.
  struct OpenNode {
    int node = 0;
    int births_before = 0;  // allocations of the call when it began
  };

  void EnterNode(int node, Current& current);
  void LeaveNode(OpenNode open, Current& current);
  void NoteInput(const TensorRef& tensor, ArgumentEffect effect, bool outer,
                 Current& current);
  void NoteOutput(const TensorRef& tensor, OpenNode open, Current& current);
  // Returns whether the call made the instance; for a node that allocates,
  // whether the node itself did.
  bool WasMadeInside(int instance, OpenNode open, const Current& current) const;
  int NewInstance(const TensorRef& tensor, int birth_call, Current& current);
  void Extend(int instance, const TensorRef& tensor);

  const ExecutionTrace& trace_;
  int call_count_ = 0;
  std::vector<StorageInstance> instances_;
  absl::flat_hash_map<int64_t, int> instance_of_storage_;
  absl::flat_hash_map<int64_t, bool> is_view_;  // by tensor id
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_STORAGE_HISTORY_H_
