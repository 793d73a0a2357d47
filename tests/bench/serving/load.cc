#include "tests/bench/serving/load.h"

#include <algorithm>

#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace stowage {
namespace {

// As many calls a connection as a server's default lets through.
constexpr int kCallersPerChannel = 100;

absl::Duration Quantile(const std::vector<absl::Duration>& sorted, double q) {
  return sorted.empty() ? absl::ZeroDuration()
                        : sorted[static_cast<size_t>(q * (sorted.size() - 1))];
}

}  // namespace

std::vector<std::shared_ptr<grpc::Channel>> ChannelsOf(const Load& load) {
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i * kCallersPerChannel < load.callers; ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("own connection", i);
    arguments.SetMaxReceiveMessageSize(-1);
    channels.push_back(grpc::CreateCustomChannel(
        load.address, grpc::InsecureChannelCredentials(), arguments));
  }
  return channels;
}

LoadResult ResultOf(const Load& load, std::vector<absl::Duration> latencies) {
  std::sort(latencies.begin(), latencies.end());
  return {.answers_per_second = static_cast<double>(latencies.size()) /
                                absl::ToDoubleSeconds(load.time),
          .p50 = Quantile(latencies, 0.5),
          .p99 = Quantile(latencies, 0.99),
          .p999 = Quantile(latencies, 0.999)};
}

}  // namespace stowage
