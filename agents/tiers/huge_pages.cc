#include "agents/tiers/huge_pages.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {
namespace {

// Returns the word in brackets of "always within_size [never] deny"; empty if
// there is none.
std::string Chosen(absl::string_view words) {
  const size_t begin = words.find('[');
  const size_t end = words.find(']');
  if (begin == words.npos || end == words.npos || end < begin) return "";
  return std::string(words.substr(begin + 1, end - begin - 1));
}

}  // namespace

HugePages AdviseHugePages(bool keep, const std::string& file) {
  std::string words;
  std::getline(std::ifstream(file), words);
  const std::string chosen = Chosen(words);
  if (chosen.empty()) return HugePages::kUnknown;
  if (chosen == "deny") return HugePages::kRefused;
  if (chosen != "never") return HugePages::kGranted;
  if (keep) return HugePages::kRefused;
  std::ofstream out(file);
  out << "advise" << std::flush;
  return out.good() ? HugePages::kChanged : HugePages::kRefused;
}

}  // namespace stowage::agent
