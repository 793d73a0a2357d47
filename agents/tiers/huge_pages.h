// Lets shared memory have huge pages. Arenas ask for them (MADV_HUGEPAGE), and
// most hosts refuse: copies are then scattered over pages of 4 KiB, which costs
// processor time and, on some disks, most of the bandwidth.
//
//   if (AdviseHugePages() == HugePages::kRefused) std::cerr << kHowToAdvise;
#ifndef STOWAGE_AGENTS_TIERS_HUGE_PAGES_H_
#define STOWAGE_AGENTS_TIERS_HUGE_PAGES_H_

#include <string>

namespace stowage::agent {

// Of shared memory that asks for huge pages.
enum class HugePages {
  kGranted,  // the host grants them
  kChanged,  // it does now
  kRefused,  // it does not, and this process may not change that
  kUnknown,  // the host does not say
};

inline constexpr char kHugePagesFile[] =
    "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

// What the agent says where the answer is kChanged.
inline constexpr char kAdvised[] =
    "set /sys/kernel/mm/transparent_hugepage/shmem_enabled from never to "
    "advise, so that copies are faster; STOWAGE_AGENT_KEEP_HUGE_PAGES=true "
    "leaves it";

// What to do where the answer is kRefused.
inline constexpr char kHowToAdvise[] =
    "shared memory has no huge pages on this host, which makes copies slower; "
    "as root: echo advise > "
    "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

// Returns whether shared memory may have huge pages by `file`. Where that says
// "never", Linux's default, it writes "advise", so that memory has them which
// asks for them, unless `keep`. "deny" is somebody's decision and stays.
HugePages AdviseHugePages(bool keep = false,
                          const std::string& file = kHugePagesFile);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_HUGE_PAGES_H_
