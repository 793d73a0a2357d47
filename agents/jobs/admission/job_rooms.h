// Gives a job its room in the two tiers that it asks for.
//
//   absl::StatusOr<JobRooms> rooms =
//       MakeRooms(request, {}, directories, &catalog, nullptr);
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_JOB_ROOMS_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_JOB_ROOMS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/engine/tier_catalog.h"
#include "agents/engine/tier_room.h"
#include "agents/jobs/admission/allotment.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/admission/slow_directories.h"
#include "agents/tiers/owned_fd.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

struct JobRooms {
  std::vector<TierRoom> rooms;          // fast to slow
  v1::MemorySystem system;              // of these tiers
  std::unique_ptr<SlowPart> slow_part;  // null: without an allotment
};

// Makes new arenas, or takes over those of a job that another agent has left:
// `left` are their descriptors then, fast to slow, and that of the checksums.
// The slow arena is a part of `allotment`, unless that is null. Errors say which
// tier cannot be used and what to do, or that the process may map too little.
// Blocks while a slow tier is measured for the first time.
absl::StatusOr<JobRooms> MakeRooms(const JobRequest& request,
                                   std::vector<OwnedFd> left,
                                   const SlowDirectories& directories,
                                   TierCatalog* catalog, Allotment* allotment);

// Returns what the job is told of its room in a tier.
session::TierInfo TierInfoOf(const TierRoom& room);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_JOB_ROOMS_H_
