// Plays the storages of a framework, each of which is a pointer.
//
//   FakeStorage storage;
//   storage.address = static_cast<char*>(job.Allocate(&kernel, bytes));
//   Block* block = job.BlockOf(&storage, false);
//   job.Free(storage.Kill());
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_STORAGE_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_STORAGE_H_

#include <atomic>
#include <mutex>

#include "client_sdk/runtime/blocks/storage_access.h"

namespace stowage::runtime {

// Outlives its handles, which are plain pointers to it.
struct FakeStorage {
  std::atomic<char*> address{nullptr};
  std::atomic<bool> movable{true};
  std::atomic<int> handles{0};

  // Frees the storage as the framework does, so that nobody moves it any more.
  // Returns where it is.
  char* Kill() {
    std::lock_guard<std::mutex> guard(mutex);
    alive = false;
    return address;
  }

  std::mutex mutex;
  bool alive = true;  // guarded by `mutex`
};

inline StorageAccess FakeStorageAccess() {
  return {
      .movable =
          [](void* handle) {
            return static_cast<FakeStorage*>(handle)->movable.load();
          },
      .make_movable =
          [](void* handle) {
            static_cast<FakeStorage*>(handle)->movable = true;
          },
      .set_address =
          [](void* handle, void* from, void* to) {
            auto* storage = static_cast<FakeStorage*>(handle);
            std::lock_guard<std::mutex> guard(storage->mutex);
            if (!storage->alive || storage->address != from) return false;
            storage->address = static_cast<char*>(to);
            return true;
          },
      .address = [](void* context) -> void* {
        return static_cast<FakeStorage*>(context)->address.load();
      },
      .refers_to = [](void* handle,
                      void* context) { return handle == context; },
      .make_handle =
          [](void* context) {
            ++static_cast<FakeStorage*>(context)->handles;
            return context;
          },
      .release =
          [](void* handle) { --static_cast<FakeStorage*>(handle)->handles; }};
}

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_STORAGE_H_
