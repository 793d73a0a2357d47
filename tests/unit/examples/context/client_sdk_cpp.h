// Declares the names that the examples of client_sdk/cpp use.
//
//   namespace stowage::examples { extern std::unique_ptr<Client> client; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_CPP_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_CPP_H_

#include "stowage/v1/graphs.grpc.pb.h"

namespace stowage::examples {

extern std::unique_ptr<Client> client;
extern std::string address;
extern ClientOptions options;
extern v1::Graph graph;
extern v1::TelemetryBatch batch;

namespace client_sdk_cpp::endpoints_h {
extern bool failed;
}
namespace client_sdk_cpp::status_h {
extern std::unique_ptr<v1::GraphService::Stub> stub;
extern grpc::ClientContext context;
extern v1::GetGraphRequest request;
extern v1::GetGraphResponse response;
}  // namespace client_sdk_cpp::status_h

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_CPP_H_
