#include "tools/stowage/import/storage_history.h"

#include <algorithm>

namespace stowage::cli {
namespace {

bool IsEmpty(const TensorRef& tensor) {
  return tensor.element_count == 0 || tensor.element_bytes == 0;
}

template <typename Predicate>
bool AnyInput(const TraceNode& node, const Predicate& predicate) {
  for (const TraceArgument& argument : node.inputs) {
    for (const TensorRef& tensor : argument.tensors) {
      if (predicate(tensor)) return true;
    }
  }
  return false;
}

bool HasInputStorage(const TraceNode& node, int64_t storage_id) {
  return AnyInput(node, [&](const TensorRef& tensor) {
    return tensor.storage_id == storage_id;
  });
}

bool HasInputTensor(const TraceNode& node, int64_t tensor_id) {
  return AnyInput(node, [&](const TensorRef& tensor) {
    return tensor.tensor_id == tensor_id;
  });
}

}  // namespace

CallEffects StorageHistory::Apply(const OperatorCall& call) {
  Current current{.call = call_count_++, .node = call.node};
  std::vector<OpenNode> open = {{call.node, 0}};
  EnterNode(call.node, current);
  for (int node : call.inner) {
    // If calls of two threads are mixed, the parent may have ended. Then the node
    // belongs to the outermost one.
    while (open.size() > 1 && open.back().node != trace_.nodes[node].parent) {
      LeaveNode(open.back(), current);
      open.pop_back();
    }
    open.push_back({node, current.births});
    EnterNode(node, current);
  }
  for (; !open.empty(); open.pop_back()) LeaveNode(open.back(), current);
  return std::move(current.effects);
}

void StorageHistory::EnterNode(int node_index, Current& current) {
  const TraceNode& node = trace_.nodes[node_index];
  const std::vector<ArgumentEffect> effects = InputEffects(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    for (const TensorRef& tensor : node.inputs[i].tensors) {
      NoteInput(tensor, effects[i], node_index == current.node, current);
    }
  }
}

void StorageHistory::LeaveNode(OpenNode open, Current& current) {
  for (const TraceArgument& argument : trace_.nodes[open.node].outputs) {
    for (const TensorRef& tensor : argument.tensors) {
      NoteOutput(tensor, open, current);
    }
  }
}

void StorageHistory::NoteInput(const TensorRef& tensor, ArgumentEffect effect,
                               bool outer, Current& current) {
  if (IsEmpty(tensor)) return;
  const auto known = instance_of_storage_.find(tensor.storage_id);
  // A storage that nothing made and that an inner call alone names is scratch
  // of this call.
  const int instance =
      known != instance_of_storage_.end()
          ? known->second
          : NewInstance(tensor, outer ? -1 : current.call, current);
  Extend(instance, tensor);
  const bool born_here = instances_[instance].birth_call == current.call;
  InstanceUse& use = current.effects[instance];
  use.read |= effect.read && !born_here;
  use.write |= effect.write || born_here;
  use.internal &= !outer;
  if (outer) ++use.access_count;
}

void StorageHistory::NoteOutput(const TensorRef& tensor, OpenNode open,
                                Current& current) {
  if (IsEmpty(tensor)) return;
  const TraceNode& node = trace_.nodes[open.node];
  const auto known = instance_of_storage_.find(tensor.storage_id);
  if (HasInputStorage(node, tensor.storage_id)) {
    if (!HasInputTensor(node, tensor.tensor_id)) {
      is_view_[tensor.tensor_id] = true;
    }
    if (known != instance_of_storage_.end()) Extend(known->second, tensor);
    return;
  }
  is_view_[tensor.tensor_id] = false;
  const bool outer = open.node == current.node;
  const int instance = known != instance_of_storage_.end() &&
                               WasMadeInside(known->second, open, current)
                           ? known->second
                           : NewInstance(tensor, current.call, current);
  Extend(instance, tensor);
  InstanceUse& use = current.effects[instance];
  use.write |= !IsAllocation(node);
  use.internal &= !outer;
  if (outer) ++use.access_count;
}

bool StorageHistory::WasMadeInside(int instance, OpenNode open,
                                   const Current& current) const {
  const StorageInstance& made = instances_[instance];
  if (made.birth_call != current.call) return false;
  // aten::empty_like calls aten::empty, so only a storage from before the call
  // is another allocation.
  return !IsAllocation(trace_.nodes[open.node]) ||
         made.birth_ordinal >= open.births_before;
}

int StorageHistory::NewInstance(const TensorRef& tensor, int birth_call,
                                Current& current) {
  const int instance = static_cast<int>(instances_.size());
  instances_.push_back(
      {.device = tensor.device,
       .birth_call = birth_call,
       .birth_ordinal = birth_call < 0 ? 0 : current.births++});
  instance_of_storage_[tensor.storage_id] = instance;
  return instance;
}

void StorageHistory::Extend(int instance, const TensorRef& tensor) {
  const auto view = is_view_.find(tensor.tensor_id);
  const bool is_view = view != is_view_.end() && view->second;
  int64_t& extent_bytes = is_view ? instances_[instance].view_extent_bytes
                                  : instances_[instance].extent_bytes;
  extent_bytes = std::max(extent_bytes, tensor.extent_bytes());
}

}  // namespace stowage::cli
