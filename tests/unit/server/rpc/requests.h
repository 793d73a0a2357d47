// Makes requests of what their protos state: one that is within its bounds, and
// those that break one bound each.
//
//   for (const Violation& violation : ViolationsOf(*type)) {
//     absl::Status status = CheckBounds(*violation.request);
//     EXPECT_THAT(status.message(), HasSubstr(violation.field));
//   }
#ifndef STOWAGE_TESTS_UNIT_SERVER_RPC_REQUESTS_H_
#define STOWAGE_TESTS_UNIT_SERVER_RPC_REQUESTS_H_

#include <memory>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace stowage {

struct Violation {
  std::string field;  // "steps[0].index"
  std::string how;    // for people
  std::unique_ptr<google::protobuf::Message> request;
};

// Returns every method of the services of proto/stowage/v1.
std::vector<const google::protobuf::MethodDescriptor*> ServiceMethods();

// Returns a request in which what has to be set is set.
std::unique_ptr<google::protobuf::Message> RequestWithin(
    const google::protobuf::Descriptor& type);

// Returns the violations of each bounded field, nested ones included.
std::vector<Violation> ViolationsOf(const google::protobuf::Descriptor& type);

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_RPC_REQUESTS_H_
