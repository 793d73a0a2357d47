// Parses the texts that people write in flags and that names in certificates
// are: sizes, limits, addresses, tiers, policies, roles, page tokens.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/size_spec.h"
#include "network/host_port.h"
#include "network/unix_socket.h"
#include "policies/model/byte_size.h"
#include "policies/model/name.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "server/access/allowed_calls.h"
#include "server/access/roles.h"
#include "server/rpc/page.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/policies/random_graph.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/import/imported_graph.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/inputs/policy_spec.h"

namespace stowage {
namespace {

void ParseLimit(const std::string& text) {
  static const policies::Graph graph = policies::TrainingStepGraph(1, 1);
  const auto bytes = session::ParseSize(text);
  Require(!bytes || (*bytes > 0 && *bytes < int64_t{1} << 62),
          "sizes are positive, and their sums do not overflow");
  if (bytes) Require(!session::SizeText(*bytes).empty(), "sizes have a text");
  const auto limit = session::ParseLimit(text);
  if (!limit) Require(!session::WhyNoLimit(text).empty(), "it says why not");
  if (limit) {
    Require(limit->bytes >= 0 && limit->fraction >= 0 && limit->fraction <= 1 &&
                limit->slowdown >= 0,
            "limits are sizes or shares");
  }
  if (session::ParseHostLimit(text)) {
    Require(session::ParseLimit(session::RankLimit(text, 1)).has_value(),
            "one rank has all of the host's limit");
  }
  RequireRefusal(cli::ResolveLimit({.fast = text}, graph).status());
  RequireRefusal(cli::ResolveLimit({.bytes = text}, graph).status());
  RequireRefusal(cli::ResolveLimit({.ratio = text}, graph).status());
}

void ParseAddress(const std::string& text) {
  IsUnixAddress(text);
  UnixSocketPath(text);
  const auto all = HostPorts(text);
  RequireRefusal(all.status());
  if (!all.ok()) return;
  Require(!all->empty(), "an address names somebody");
  for (const HostPort& one : *all) {
    Require(!one.port.empty(), "ports are there");
  }
}

void ParseTier(const std::string& text) {
  const auto spec = agent::ParseTierSpec(text);
  RequireRefusal(spec.status());
  if (!spec.ok()) return;
  agent::NamesDirectory(*spec);
  Require(spec->size_bytes >= 0, "tiers have no negative size");
}

// The text is the path of no file, unless a policy's parameter is one.
void ParsePolicy(const std::string& text) {
  if (text.find('/') != text.npos) return;
  RequireRefusal(cli::MakePolicyFromSpec(text).status());
  RequireRefusal(cli::ExpandPolicies({text, "all"}).status());
  policies::CapabilitiesOf(policies::PresentPolicyName(text));
}

// Takes lines: the trust domain, a rule, a SPIFFE ID, a DNS name, a method.
void ParseRoles(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  lines.resize(5);
  const auto roles =
      Roles::Make(lines[0], {lines[1], "operator=*.ops.example"});
  RequireRefusal(roles.status());
  if (!roles.ok()) return;
  const auto caller =
      roles->CallerOf({.spiffe_id = lines[2], .dns = {lines[3]}});
  if (!caller.has_value()) return;
  Require(!caller->identity.empty(), "a caller has an identity");
  RequireRefusal(CheckAllowed(*caller, lines[4]));
  RequireRefusal(CheckNode(*caller, lines[4]));
}

void ParseToken(const std::string& text) {
  const auto page = ParsePage("graphs", 0, text);
  RequireRefusal(page.status());
  const auto own = ParsePage("graphs", 7, PageToken("graphs", text));
  Require(own.ok() != text.empty(), "a list takes its own tokens");
  if (own.ok()) Require(own->after == text, "a token is what it was made of");
}

void ParseNames(const std::string& text) {
  RequireRefusal(policies::CheckName("name", text));
  RequireRefusal(policies::CheckName("name", cli::GraphNameFrom(text)));
  cli::GraphNameFromPath(text);
  RequireRefusal(policies::PresetMemorySystem(text).status());
}

constexpr std::array kParsers = {ParseLimit,  ParseAddress, ParseTier,
                                 ParsePolicy, ParseRoles,   ParseToken,
                                 ParseNames};

// The first byte is a digit: which parser reads the rest.
void Fuzz(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const auto which = static_cast<uint8_t>(input.Take<uint8_t>() - '0');
  kParsers[which % kParsers.size()](std::string(input.Rest()));
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
