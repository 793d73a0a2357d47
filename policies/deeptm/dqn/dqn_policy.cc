#include "policies/deeptm/dqn/dqn_policy.h"

#include <openssl/sha.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/dqn/q_network.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "stowage/v1/dqn_policy.pb.h"

namespace stowage::policies {
namespace {

constexpr int32_t kSchemaVersion = 1;
constexpr char kRemedy[] = "; train the policy again or copy the file anew";

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

std::string ChecksumOf(v1::DqnPolicy proto) {
  proto.clear_checksum();
  return Sha256Hex(Serialize(proto, {}));
}

v1::DqnSettings SettingsToProto(const DqnSettings& s) {
  v1::DqnSettings proto;
  proto.set_episodes(s.episodes);
  proto.set_greedy_episodes(s.greedy_episodes);
  proto.set_first_greedy_probability(s.first_greedy_probability);
  proto.set_last_greedy_probability(s.last_greedy_probability);
  proto.set_replay_size(s.replay_size);
  proto.set_batch_size(s.batch_size);
  proto.set_learning_rate(s.learning_rate);
  proto.set_last_learning_rate(s.last_learning_rate);
  proto.set_discount(s.discount);
  proto.set_cost_priority(s.cost_priority);
  proto.set_fixed_reward(s.fixed_reward);
  proto.set_fast_price_usd_per_gb(s.fast_price_usd_per_gb);
  proto.set_slow_price_usd_per_gb(s.slow_price_usd_per_gb);
  proto.set_synchronous(s.migration == MigrationMode::kSynchronous);
  proto.set_hidden_units(s.hidden_units);
  proto.set_oom_penalty(s.oom_penalty);
  proto.set_oom_tolerance(s.oom_tolerance);
  proto.set_updates_per_episode(s.updates_per_episode);
  proto.set_target_interval(s.target_interval);
  proto.set_transitions_per_update(s.transitions_per_update);
  proto.set_evaluation_interval(s.evaluation_interval);
  proto.set_heat_alone(s.heat_alone);
  proto.set_reward_bound(s.reward_bound);
  proto.set_value_bound(s.value_bound);
  return proto;
}

DqnSettings SettingsFromProto(const v1::DqnSettings& proto) {
  return {.episodes = proto.episodes(),
          .greedy_episodes = proto.greedy_episodes(),
          .first_greedy_probability = proto.first_greedy_probability(),
          .last_greedy_probability = proto.last_greedy_probability(),
          .replay_size = proto.replay_size(),
          .batch_size = proto.batch_size(),
          .learning_rate = proto.learning_rate(),
          .last_learning_rate = proto.last_learning_rate(),
          .discount = proto.discount(),
          .cost_priority = proto.cost_priority(),
          .fixed_reward = proto.fixed_reward(),
          .fast_price_usd_per_gb = proto.fast_price_usd_per_gb(),
          .slow_price_usd_per_gb = proto.slow_price_usd_per_gb(),
          .migration = proto.synchronous() ? MigrationMode::kSynchronous
                                           : MigrationMode::kAsynchronous,
          .heat_alone = proto.heat_alone(),
          .hidden_units = proto.hidden_units(),
          .oom_penalty = proto.oom_penalty(),
          .reward_bound = proto.reward_bound(),
          .value_bound = proto.value_bound(),
          .oom_tolerance = proto.oom_tolerance(),
          .updates_per_episode = proto.updates_per_episode(),
          .target_interval = proto.target_interval(),
          .transitions_per_update = proto.transitions_per_update(),
          .evaluation_interval = proto.evaluation_interval()};
}

absl::Status CheckSound(const v1::DqnPolicy& proto) {
  if (proto.schema_version() != kSchemaVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the DQN policy has schema version ", proto.schema_version(),
        ", but this program reads version ", kSchemaVersion, kRemedy));
  }
  const std::string checksum = ChecksumOf(proto);
  if (checksum == proto.checksum()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the DQN policy is damaged: its checksum is ", checksum,
      ", but it says '", absl::CHexEscape(proto.checksum()), "'", kRemedy));
}

absl::Status CheckWeights(const DqnPolicy& policy) {
  const int64_t expected_bytes = policy.fits
                                     ? 0
                                     : WeightCount(ShapeOf(policy.settings)) *
                                           static_cast<int64_t>(sizeof(float));
  if (static_cast<int64_t>(policy.weights.size()) != expected_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the DQN policy has ", policy.weights.size(),
                     " bytes of weights, but ", policy.settings.hidden_units,
                     " hidden units have ", expected_bytes, kRemedy));
  }
  const std::vector<float> weights = UnpackWeights(policy.weights);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("weight ", i, " of the DQN policy is ", weights[i],
                     ", but all have to be finite", kRemedy));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PackWeights(const std::vector<float>& weights) {
  static_assert(std::endian::native == std::endian::little &&
                std::numeric_limits<float>::is_iec559);
  std::string bytes(weights.size() * sizeof(float), '\0');
  if (!weights.empty()) {
    std::memcpy(bytes.data(), weights.data(), bytes.size());
  }
  return bytes;
}

std::vector<float> UnpackWeights(std::string_view bytes) {
  std::vector<float> weights(bytes.size() / sizeof(float));
  if (!weights.empty()) {
    std::memcpy(weights.data(), bytes.data(), weights.size() * sizeof(float));
  }
  return weights;
}

std::string MemorySystemDigest(const MemorySystem& system) {
  v1::MemorySystem proto = MemorySystemToProto(system);
  proto.clear_description();
  return Sha256Hex(Serialize(proto, {}));
}

std::string EncodeDqnPolicy(const DqnPolicy& policy) {
  v1::DqnPolicy proto;
  proto.set_schema_version(kSchemaVersion);
  proto.set_graph_id(policy.graph_id);
  proto.set_system(policy.system);
  proto.set_system_digest(policy.system_digest);
  proto.set_fast_limit_bytes(policy.fast_limit_bytes);
  *proto.mutable_settings() = SettingsToProto(policy.settings);
  proto.set_seed(policy.seed);
  proto.set_episodes_done(policy.episodes_done);
  proto.set_step_time_ns(policy.step_time_ns);
  proto.set_fits(policy.fits);
  proto.set_weights_layout(policy.weights_layout);
  proto.set_weights(policy.weights);
  proto.set_checksum(ChecksumOf(proto));
  return Serialize(proto, {});
}

absl::StatusOr<DqnPolicy> DecodeDqnPolicy(std::string_view bytes) {
  if (bytes.size() >= kMaxMessageBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a DQN policy of ", bytes.size(), " bytes is refused"));
  }
  v1::DqnPolicy proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "these ", bytes.size(),
        " bytes are no DQN policy: damaged or truncated", kRemedy));
  }
  if (absl::Status sound = CheckSound(proto); !sound.ok()) return sound;
  DqnPolicy policy{.graph_id = proto.graph_id(),
                   .system = proto.system(),
                   .system_digest = proto.system_digest(),
                   .fast_limit_bytes = proto.fast_limit_bytes(),
                   .settings = SettingsFromProto(proto.settings()),
                   .seed = proto.seed(),
                   .episodes_done = proto.episodes_done(),
                   .step_time_ns = proto.step_time_ns(),
                   .fits = proto.fits(),
                   .weights_layout = proto.weights_layout(),
                   .weights = proto.weights()};
  if (absl::Status status = CheckDqnPolicy(policy); !status.ok()) {
    return status;
  }
  return policy;
}

absl::Status CheckDqnPolicy(const DqnPolicy& policy) {
  if (policy.weights_layout != kDqnWeightsLayout) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the DQN policy has weights of layout ", policy.weights_layout,
        ", but this program uses layout ", kDqnWeightsLayout, kRemedy));
  }
  absl::Status status = CheckDqnSettings(policy.settings);
  if (status.ok() && policy.fast_limit_bytes <= 0) {
    status = absl::InvalidArgumentError(
        absl::StrCat("the DQN policy's fast_limit_bytes is ",
                     policy.fast_limit_bytes, ", but it has to be positive"));
  }
  if (status.ok()) status = CheckWeights(policy);
  return status;
}

absl::Status CheckTrainedFor(const DqnPolicy& policy, const Graph& graph,
                             const MemorySystem& system) {
  const std::string graph_id = GraphId(graph);
  if (policy.graph_id != graph_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("the DQN policy was trained for graph ", policy.graph_id,
                     ", but this one ('", graph.name, "') is ", graph_id,
                     "; train a policy for it"));
  }
  if (policy.system_digest != MemorySystemDigest(system)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the DQN policy was trained for memory system '", policy.system,
        "' as it was then, but this is '", system.name,
        "' with other tiers or bandwidths; train a policy for it"));
  }
  return absl::OkStatus();
}

}  // namespace stowage::policies
