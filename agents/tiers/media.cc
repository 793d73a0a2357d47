#include "agents/tiers/media.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {
namespace {

// optane: DeepTM, Fig. 1(a): a 4 KiB page is read in 5.57 us and written in
//   14.49 us, in DRAM in 0.22 and 0.47 us; section V: 8 threads saturate its
//   writes, 16 all else, 7.85 dollars a GB.
// redl: ReDL's slow memory: 19 GB/s and 200 ns, DRAM 34 GB/s and 90 ns.
// cxl: a type 3 expander behind eight PCIe 5 lanes: 22 GB/s each way and 250 ns
//   by the link's data rate; DRAM as in redl.
// numa: memory of the other socket: 17 GB/s and 140 ns, half of a local
//   socket's bandwidth; DRAM as in redl.
constexpr Medium kMedia[] = {
    {"optane", 1360, 3538, 54, 115, 300, 100, 7.85, 16, 8},
    {"redl", 53, 53, 29, 29, 200, 200, 0, 16, 16},
    {"cxl", 45, 45, 29, 29, 250, 250, 0, 16, 16},
    {"numa", 59, 59, 29, 29, 140, 140, 0, 16, 16},
};

}  // namespace

const Medium* FindMedium(absl::string_view name) {
  for (const Medium& medium : kMedia) {
    if (medium.name == name) return &medium;
  }
  return nullptr;
}

std::string MediumNames() {
  return absl::StrJoin(kMedia, ", ", [](std::string* out, const Medium& m) {
    absl::StrAppend(out, m.name);
  });
}

}  // namespace stowage::agent
