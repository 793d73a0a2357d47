// Names a block for people.
//
//   Fail("cannot move " + NameOf(*block));
//   // "the tensor of 4.00 MiB that aten::relu made in step 12"
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_NAME_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_NAME_H_

#include <string>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {

inline std::string NameOf(const Block& block) {
  const char* what = block.parameter ? "the parameter of " : "the tensor of ";
  std::string name = what + session::SizeText(block.size_bytes);
  if (!block.made_by.empty()) {
    name += " that " + std::string(block.made_by) + " made in step " +
            std::to_string(block.birth_step);
  }
  return name;
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_NAME_H_
