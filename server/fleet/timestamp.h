// Converts points in time to the form that the protos have.
//
//   *job.mutable_started_at() = TimestampFromTime(absl::Now());
#ifndef STOWAGE_SERVER_FLEET_TIMESTAMP_H_
#define STOWAGE_SERVER_FLEET_TIMESTAMP_H_

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/util/time_util.h"

namespace stowage {

inline google::protobuf::Timestamp TimestampFromTime(absl::Time time) {
  return google::protobuf::util::TimeUtil::NanosecondsToTimestamp(
      absl::ToUnixNanos(time));
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_TIMESTAMP_H_
