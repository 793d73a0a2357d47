// What the runtime needs of the framework's storages. The PyTorch plug-in
// fills it in; tests use a fake.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_STORAGE_ACCESS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_STORAGE_ACCESS_H_

namespace stowage::runtime {

// A handle is a weak reference that the runtime owns. All calls are made with
// the Job's mutex held, at kernel boundaries; a block that is freed by one of
// them is queued, not freed on the spot.
struct StorageAccess {
  // Returns whether the storage still lives and nobody outside the framework
  // knows its address.
  bool (*movable)(void* handle);
  // Nobody outside knows the address any more: `movable` may be true again.
  void (*make_movable)(void* handle);
  // Lets the storage point to `to`, without freeing `from`, to which it points
  // now. Returns false if the storage has died or points elsewhere; then
  // nothing was changed.
  bool (*set_address)(void* handle, void* from, void* to);
  // Returns where the storage behind `context` points now.
  void* (*address)(void* context);
  // Returns whether the handle refers to the storage behind `context` (see
  // Job::BlockOf).
  bool (*refers_to)(void* handle, void* context);
  // Returns a new handle to the storage behind `context`.
  void* (*make_handle)(void* context);
  void (*release)(void* handle);
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_STORAGE_ACCESS_H_
