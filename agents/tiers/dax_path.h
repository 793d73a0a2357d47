// Tells whether a directory lies on persistent memory that is mapped directly
// (DAX). Builds without memkind cannot tell.
//
//   if (!IsDaxDirectory("/mnt/pmem0")) Warn("page cache in between");
#ifndef STOWAGE_AGENTS_TIERS_DAX_PATH_H_
#define STOWAGE_AGENTS_TIERS_DAX_PATH_H_

#include <string>

namespace stowage::agent {

// Returns whether `directory` is such a directory. Blocks, because it makes and
// maps a small file there.
bool IsDaxDirectory(const std::string& directory);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_DAX_PATH_H_
