// Preloaded: gives a process a wall clock that is as far from the true one as
// the file that STOWAGE_TEST_CLOCK names says, in seconds (a double). See
// jumping_clock.py.
//
// Clocks of processor time and CLOCK_MONOTONIC stay as they are, as they do where
// somebody sets the clock; libfaketime 0.9.10 moves the former, too. Waits of
// Abseil, and thus of gRPC, last until the wall clock shows their end, also when
// it is set meanwhile.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

// Returns the seconds, which change while the process runs.
const volatile double* OffsetSeconds() {
  static const volatile double* const offset = [] {
    static const double kNone = 0;
    const char* path = getenv("STOWAGE_TEST_CLOCK");
    const int fd = path != nullptr ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return &kNone;
    void* page = mmap(nullptr, sizeof(double), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? &kNone : static_cast<const double*>(page);
  }();
  return offset;
}

using SystemCall = long (*)(long, ...);

SystemCall TrueSystemCall() {
  static const auto call =
      reinterpret_cast<SystemCall>(dlsym(RTLD_NEXT, "syscall"));
  return call;
}

timespec Later(timespec time, long ns) {
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

bool IsBefore(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// Looks at the clock so often, which may have been set.
constexpr long kLookNs = 10'000'000;

// Waits as FUTEX_WAIT_BITSET does until `end` on the wall clock.
long WaitUntil(void* word, long operation, long value, const timespec& end) {
  operation &= ~FUTEX_CLOCK_REALTIME;
  while (true) {
    timespec wall, steady;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &steady);
    const bool is_over = !IsBefore(wall, end);
    const bool looks_again = IsBefore(Later(wall, kLookNs), end);
    const long left_ns =
        (end.tv_sec - wall.tv_sec) * 1'000'000'000 + end.tv_nsec - wall.tv_nsec;
    const timespec look =
        Later(steady, is_over ? 0 : (looks_again ? kLookNs : left_ns));
    const long result =
        TrueSystemCall()(SYS_futex, word, operation, value, &look, nullptr,
                         FUTEX_BITSET_MATCH_ANY);
    if (result == 0 || errno != ETIMEDOUT || is_over) return result;
  }
}

}  // namespace

extern "C" {

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_clock_gettime) {  // that of Abseil
    return clock_gettime(static_cast<clockid_t>(a[0]),
                         reinterpret_cast<timespec*>(a[1]));
  }
  const bool waits = number == SYS_futex && a[3] != 0 &&
                     (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
                     (a[1] & FUTEX_CLOCK_REALTIME) != 0;
  if (!waits) {
    return TrueSystemCall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  return WaitUntil(reinterpret_cast<void*>(a[0]), a[1], a[2],
                   *reinterpret_cast<const timespec*>(a[3]));
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long result = TrueSystemCall()(SYS_clock_gettime, clock, now);
  if (result == 0 &&
      (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += static_cast<time_t>(*OffsetSeconds());
  }
  return static_cast<int>(result);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec precise;
  const int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t* now) noexcept {
  timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
