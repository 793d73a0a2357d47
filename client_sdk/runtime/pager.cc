#include "client_sdk/runtime/pager.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "client_sdk/runtime/moves/userfault.h"

namespace stowage::runtime {
namespace {

constexpr useconds_t kClosedUs = 1000;

// Lives until the process ends.
struct Pager {
  Job* job;
  std::unique_ptr<Userfault> userfault;
  std::vector<int> fds;  // that it needs: of the file tiers, and for messages
  sem_t has_kept_them;
};

void* Serve(void* argument) {
  auto* pager = static_cast<Pager*>(argument);
  pager->userfault->KeepForThread(pager->fds.data(), pager->fds.size());
  sem_post(&pager->has_kept_them);
  Userfault::Fault fault;
  while (pager->userfault->Next(&fault)) {
    if (pager->job->HandleMissingPage(fault.page, fault.write)) continue;
    // A thread that is too late to see the page closed waits for it once more.
    usleep(kClosedUs);
    pager->job->OpenPage(fault.page);
  }
  return nullptr;
}

// Starts the thread, without the program's signals, which are for its own
// threads.
bool StartThread(Pager* pager) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, nullptr, Serve, pager);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return false;
  pthread_setname_np(thread, "stowage-pager");
  pthread_detach(thread);
  while (sem_wait(&pager->has_kept_them) != 0) {
  }
  return true;
}

}  // namespace

bool StartPager(Job* job, const SessionClient& client) {
  auto pager = std::make_unique<Pager>();
  pager->job = job;
  sem_init(&pager->has_kept_them, /*pshared=*/0, 0);
  pager->fds = {STDERR_FILENO};
  for (const MappedTier& tier : client.tiers()) {
    if (!tier.addressable()) pager->fds.push_back(tier.fd);
  }
  if (pager->fds.size() == 1) return false;
  pager->userfault = Userfault::Open();
  if (pager->userfault == nullptr || !StartThread(pager.get())) return false;
  Userfault* userfault = pager.release()->userfault.get();
  return job->UseStrayPages(userfault) == 0;
}

}  // namespace stowage::runtime
