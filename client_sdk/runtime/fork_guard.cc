#include "client_sdk/runtime/fork_guard.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "client_sdk/runtime/process/mutex.h"

namespace stowage::runtime {
namespace {

struct SnapshotEntry {
  char* address;  // of the block
  int64_t room_bytes;
  int64_t offset_bytes;  // in the snapshot
};

struct Snapshot {
  int fd = -1;
  int64_t change_count = -1;
  std::vector<SnapshotEntry> entries;
};

Job* g_forked_job = nullptr;
SessionClient* g_client = nullptr;
void (*g_in_child)() = nullptr;
Snapshot g_snapshot;  // guarded by the Job's mutex

// The functions of pthread_atfork take the Job's mutex in one and let it go in
// another, which the analysis does not follow.

// Copies every block into a fresh memfd. A snapshot that fails leaves no fd:
// children then stop at their first use of a tensor, rather than compute with
// wrong numbers.
void TakeSnapshot() STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
  if (g_snapshot.fd >= 0) close(g_snapshot.fd);
  g_snapshot = {};
  g_snapshot.change_count = g_forked_job->change_count();
  int64_t bytes = 0;
  for (const Block* block : g_forked_job->blocks()) {
    const MappedTier& tier = g_client->tiers()[block->place.tier];
    g_snapshot.entries.push_back(
        {tier.base + block->place.offset_bytes, block->room_bytes(), bytes});
    bytes += block->room_bytes();
  }
  if (bytes == 0) return;
  const int fd = memfd_create("stowage-fork", MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, bytes) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  bool whole = memory != MAP_FAILED;
  int64_t offset_bytes = 0;
  for (const Block* block : g_forked_job->blocks()) {
    if (!whole) break;
    whole = g_forked_job->ReadBlock(
                *block, static_cast<char*>(memory) + offset_bytes) == 0;
    offset_bytes += block->room_bytes();
  }
  if (memory != MAP_FAILED) munmap(memory, bytes);
  if (whole) {
    g_snapshot.fd = fd;
  } else if (fd >= 0) {
    close(fd);
  }
}

void BeforeFork() STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
  g_forked_job->LockForFork();
  if (g_snapshot.fd < 0 ||
      g_snapshot.change_count != g_forked_job->change_count()) {
    TakeSnapshot();
  }
}

void InParent() STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
  g_forked_job->UnlockAfterFork();
}

// Closes the file tiers. A forked child has no pager, and memory that nobody
// watches would read as zeros.
void CloseFileTiers() {
  for (const MappedTier& tier : g_client->tiers()) {
    if (tier.addressable()) continue;
    mprotect(tier.base, tier.info.capacity_bytes, PROT_NONE);
  }
}

void InChild() STOWAGE_NO_THREAD_SAFETY_ANALYSIS {
  CloseFileTiers();
  for (const SnapshotEntry& entry : g_snapshot.entries) {
    const bool mapped = g_snapshot.fd >= 0 &&
                        mmap(entry.address, entry.room_bytes,
                             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                             g_snapshot.fd, entry.offset_bytes) != MAP_FAILED;
    if (!mapped) mprotect(entry.address, entry.room_bytes, PROT_NONE);
  }
  g_client->CloseSocket();
  g_in_child();
  g_forked_job->UnlockAfterFork();
}

}  // namespace

void InstallForkGuard(Job* job, SessionClient* client, void (*in_child)()) {
  g_forked_job = job;
  g_client = client;
  g_in_child = in_child;
  pthread_atfork(BeforeFork, InParent, InChild);
}

}  // namespace stowage::runtime
