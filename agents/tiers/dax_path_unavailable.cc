#include "agents/tiers/dax_path.h"

namespace stowage::agent {

bool IsDaxDirectory(const std::string&) { return false; }

}  // namespace stowage::agent
