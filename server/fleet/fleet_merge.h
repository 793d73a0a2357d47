// Joins what two replicas know of a node or of a job.
//
//   MergeNode(theirs, &ours);
//   MergeJob(their_job, &our_job);
//
// Pure functions. Whatever the order in which replicas hear of each other, all
// come to the same.
#ifndef STOWAGE_SERVER_FLEET_FLEET_MERGE_H_
#define STOWAGE_SERVER_FLEET_FLEET_MERGE_H_

#include "stowage/v1/fleet_state.pb.h"

namespace stowage {

// Takes over what is newer. Both are the same node.
void MergeNode(const v1::StoredNode& theirs, v1::StoredNode* ours);

// Takes over what is newer: what telemetry says of the job, its end, and its
// last resize. Both are the same job.
void MergeJob(const v1::StoredJob& theirs, v1::StoredJob* ours);

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_FLEET_MERGE_H_
