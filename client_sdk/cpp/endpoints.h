// Keeps the replicas of the service that a client may call, and which of them
// it calls.
//
//   Endpoints endpoints({"host-1:7420", "host-2:7420"}, options);
//   Endpoint& endpoint = endpoints.current();
//   if (failed) endpoints.Leave(endpoint);   // the next call goes elsewhere
#ifndef STOWAGE_CLIENT_SDK_CPP_ENDPOINTS_H_
#define STOWAGE_CLIENT_SDK_CPP_ENDPOINTS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/client.h"
#include "grpcpp/channel.h"

namespace stowage {

// One replica.
struct Endpoint {
  Endpoint(size_t number, const std::string& address,
           const ClientOptions& options);

  const size_t number;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::GraphService::Stub> graphs;
  const std::unique_ptr<v1::PlacementService::Stub> placement;
  const std::unique_ptr<v1::NodeService::Stub> nodes;
  const std::unique_ptr<v1::JobService::Stub> jobs;
  const std::unique_ptr<v1::SchedulingService::Stub> scheduling;
  const std::unique_ptr<v1::TrainingService::Stub> trainings;
};

// Returns whether another replica may do better: this one cannot be reached,
// does not answer, or cannot serve now.
bool MayDoBetter(const absl::Status& status);

// Thread-safe. Does not block unless it says so.
class Endpoints {
 public:
  // `addresses` must not be empty.
  Endpoints(const std::vector<std::string>& addresses,
            const ClientOptions& options);

  // Returns the replica that calls go to.
  Endpoint& current() { return *endpoints_[current_]; }

  // Lets calls go to the next replica, unless they no longer go to `left`.
  void Leave(const Endpoint& left);

  // Blocks until a replica has accepted a connection, and lets calls go to it.
  // Returns false if none has within `timeout`.
  bool AwaitOne(absl::Duration timeout);

  size_t size() const { return endpoints_.size(); }

 private:
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::atomic<size_t> current_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_CPP_ENDPOINTS_H_
