// Refuses to read and write the memory of other processes, in processes that use
// PyTorch, so that libraries pass messages in another way.
//
// A peer cannot reach a tensor that is evicted: its system call ends early, or
// fails with EFAULT, and with it the message. TensorPipe, which serves
// torch.distributed.rpc, and MPI libraries try such a call when they start.
// Where the kernel forbids it, the sender copies its messages into memory that
// both have, and an instruction of its own may touch evicted memory.
//
// TensorPipe makes the system call without the C library's function for it.
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "client_sdk/preload/real.h"
#include "client_sdk/preload/torch_library.h"

#define STOWAGE_EXPORT __attribute__((visibility("default")))

// NOLINTBEGIN(google-runtime-int): the C library's own types

namespace stowage::preload {
namespace {

using VmCall = ssize_t(pid_t, const iovec*, unsigned long, const iovec*,
                       unsigned long, unsigned long);

Real<"process_vm_readv", VmCall> g_process_vm_readv;
Real<"process_vm_writev", VmCall> g_process_vm_writev;
Real<"syscall", long(long, long, long, long, long, long, long)> g_syscall;

// Returns whether the call is refused, with errno set as a kernel would.
bool Refuses() {
  if (C10Path() == nullptr) return false;
  errno = EPERM;
  return true;
}

bool IsOnPeerMemory(long number) {
  return number == SYS_process_vm_readv || number == SYS_process_vm_writev;
}

}  // namespace
}  // namespace stowage::preload

using namespace stowage::preload;  // NOLINT: the functions are C's

extern "C" {

STOWAGE_EXPORT ssize_t process_vm_readv(pid_t process, const iovec* here,
                                        unsigned long here_count,
                                        const iovec* there,
                                        unsigned long there_count,
                                        unsigned long flags) {
  if (Refuses()) return -1;
  return g_process_vm_readv(process, here, here_count, there, there_count,
                            flags);
}

STOWAGE_EXPORT ssize_t process_vm_writev(pid_t process, const iovec* here,
                                         unsigned long here_count,
                                         const iovec* there,
                                         unsigned long there_count,
                                         unsigned long flags) {
  if (Refuses()) return -1;
  return g_process_vm_writev(process, here, here_count, there, there_count,
                             flags);
}

// Takes as many arguments as a system call can have; a caller may give fewer.
STOWAGE_EXPORT long syscall(long number, long a, long b, long c, long d, long e,
                            long f) {
  if (IsOnPeerMemory(number) && Refuses()) return -1;
  return g_syscall(number, a, b, c, d, e, f);
}

}  // extern "C"

// NOLINTEND(google-runtime-int)
