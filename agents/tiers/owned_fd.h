// Gives the agent the OwnedFd of network/owned_fd.h.
#ifndef STOWAGE_AGENTS_TIERS_OWNED_FD_H_
#define STOWAGE_AGENTS_TIERS_OWNED_FD_H_

#include "network/owned_fd.h"

namespace stowage::agent {

using ::stowage::OwnedFd;

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_OWNED_FD_H_
