#include "client_sdk/cpp/endpoints.h"

#include <algorithm>
#include <chrono>

#include "client_sdk/cpp/channel.h"

namespace stowage {
namespace {

// How long a connection may take before another replica is looked at, too.
constexpr auto kLook = std::chrono::milliseconds(200);

}  // namespace

Endpoint::Endpoint(size_t number, const std::string& address,
                   const ClientOptions& options)
    : number(number),
      channel(MakeChannel(address, options)),
      graphs(v1::GraphService::NewStub(channel)),
      placement(v1::PlacementService::NewStub(channel)),
      nodes(v1::NodeService::NewStub(channel)),
      jobs(v1::JobService::NewStub(channel)),
      scheduling(v1::SchedulingService::NewStub(channel)),
      trainings(v1::TrainingService::NewStub(channel)) {}

bool MayDoBetter(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

Endpoints::Endpoints(const std::vector<std::string>& addresses,
                     const ClientOptions& options) {
  for (const std::string& address : addresses) {
    endpoints_.push_back(
        std::make_unique<Endpoint>(endpoints_.size(), address, options));
  }
}

void Endpoints::Leave(const Endpoint& left) {
  size_t number = left.number;
  current_.compare_exchange_strong(number, (number + 1) % endpoints_.size());
}

bool Endpoints::AwaitOne(absl::Duration timeout) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoMicroseconds(timeout);
  for (const auto& endpoint : endpoints_) {
    endpoint->channel->GetState(/*try_to_connect=*/true);
  }
  for (;;) {
    for (const auto& endpoint : endpoints_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      // The only one is waited for as long as there is time.
      const auto wait = size() == 1 ? left : std::min(left, kLook);
      if (endpoint->channel->WaitForConnected(std::chrono::system_clock::now() +
                                              wait)) {
        current_ = endpoint->number;
        return true;
      }
      if (std::chrono::steady_clock::now() >= deadline) return false;
    }
  }
}

}  // namespace stowage
