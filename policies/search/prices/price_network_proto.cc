#include "policies/search/prices/price_network_proto.h"

#include <algorithm>
#include <cmath>

#include "absl/base/internal/raw_logging.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "policies/search/prices/network_file.h"
#include "stowage/v1/price_network.pb.h"

namespace stowage::policies {
namespace {

constexpr int kSchemaVersion = 1;

absl::Status Validate(const v1::PriceNetwork& proto) {
  if (proto.schema_version() != kSchemaVersion ||
      proto.feature_count() != kPriceFeatureCount) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the network has version ", proto.schema_version(), " and ",
        proto.feature_count(), " features; this library knows version ",
        kSchemaVersion, " with ", kPriceFeatureCount, ": train it anew"));
  }
  const int hidden_units = proto.hidden_units();
  if (hidden_units < 0 || hidden_units > kMaxPriceHiddenUnits) {
    return absl::InvalidArgumentError(
        absl::StrCat("hidden_units is ", hidden_units, "; it must be 0 to ",
                     kMaxPriceHiddenUnits));
  }
  const int expected = PriceNetwork::WeightCount(hidden_units);
  if (proto.weights_size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the network has ", proto.weights_size(), " weights; with ",
        hidden_units, " hidden units it must have ", expected));
  }
  const bool finite =
      std::all_of(proto.weights().begin(), proto.weights().end(),
                  [](float weight) { return std::isfinite(weight); });
  if (finite) return absl::OkStatus();
  return absl::InvalidArgumentError("a weight of the network is not finite");
}

}  // namespace

absl::StatusOr<PriceNetwork> ParsePriceNetwork(std::string_view json) {
  v1::PriceNetwork proto;
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &proto);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "not a stowage.v1.PriceNetwork: ", std::string(parsed.message())));
  }
  const absl::Status valid = Validate(proto);
  if (!valid.ok()) return valid;
  return PriceNetwork{
      .hidden_units = proto.hidden_units(),
      .weights = {proto.weights().begin(), proto.weights().end()}};
}

std::string PrintPriceNetwork(const PriceNetwork& network,
                              std::string_view training) {
  v1::PriceNetwork proto;
  proto.set_schema_version(kSchemaVersion);
  proto.set_feature_count(kPriceFeatureCount);
  proto.set_hidden_units(network.hidden_units);
  proto.mutable_weights()->Assign(network.weights.begin(),
                                  network.weights.end());
  proto.set_training(std::string(training));
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  // Printing a message of generated code cannot fail.
  (void)google::protobuf::util::MessageToJsonString(proto, &json, options);
  return json;
}

const PriceNetwork& ShippedPriceNetwork() {
  static const auto* network = [] {
    absl::StatusOr<PriceNetwork> parsed = ParsePriceNetwork(PriceNetworkFile());
    ABSL_RAW_CHECK(parsed.ok(), "network.json is damaged");
    return new PriceNetwork(*std::move(parsed));
  }();
  return *network;
}

}  // namespace stowage::policies
