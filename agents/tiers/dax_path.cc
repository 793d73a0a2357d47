#include "agents/tiers/dax_path.h"

#include <memkind.h>

namespace stowage::agent {

bool IsDaxDirectory(const std::string& directory) {
  return memkind_check_dax_path(directory.c_str()) == MEMKIND_SUCCESS;
}

}  // namespace stowage::agent
