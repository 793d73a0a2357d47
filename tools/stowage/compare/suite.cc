#include "tools/stowage/compare/suite.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/compare/suite_metric.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/inputs/json_input.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

SuiteGraph ReadGraph(const std::string& name, const json& entry) {
  SuiteGraph graph{
      .name = name,
      .batch = WholeNumber<int64_t>(entry.at("batch")),
      .without_workspaces = entry.value("without_workspaces", false)};
  for (const json& capture : entry.at("captures")) {
    graph.captures.push_back({capture.at("file").get<std::string>(),
                              WholeNumber<int64_t>(capture.at("batch"))});
  }
  return graph;
}

SuiteLimit ReadLimit(const json& entry) {
  SuiteLimit limit{.label = entry.at("label").get<std::string>()};
  if (entry.contains("fast_bytes")) {
    limit.limit.bytes = entry.at("fast_bytes").get<std::string>();
  } else {
    const json& ratio = entry.at("fast_ratio");
    limit.limit.ratio =
        ratio.is_number() ? ratio.dump() : ratio.get<std::string>();
  }
  return limit;
}

SuitePublished ReadPublished(const json& entry) {
  return {.metric = entry.at("metric").get<std::string>(),
          .graph = entry.at("graph").get<std::string>(),
          .limit = entry.at("limit").get<std::string>(),
          .policy = entry.at("policy").get<std::string>(),
          .value = entry.at("value").get<double>()};
}

SuiteClaim ReadClaim(const json& entry) {
  const json& here = entry.at("here");
  return {.text = entry.at("claim").get<std::string>(),
          .where = entry.at("where").get<std::string>(),
          .paper = entry.at("paper").get<std::string>(),
          .here = {.metric = here.at("metric").get<std::string>(),
                   .policy = here.at("policy").get<std::string>(),
                   .limit = here.value("limit", ""),
                   .graph = here.value("graph", ""),
                   .over = here.value("over", ""),
                   .over_limit = here.value("over_limit", ""),
                   .aggregate = here.value("aggregate", "mean")}};
}

template <typename T, typename Read>
std::vector<T> ReadList(const json& parent, const char* key, const Read& read) {
  std::vector<T> list;
  if (!parent.contains(key)) return list;
  for (const json& entry : parent.at(key)) list.push_back(read(entry));
  return list;
}

SuiteFigure ReadFigure(const json& entry) {
  return {
      .id = entry.at("id").get<std::string>(),
      .title = entry.at("title").get<std::string>(),
      .source = entry.at("source").get<std::string>(),
      .note = entry.value("note", ""),
      .system = entry.at("system").get<std::string>(),
      .graphs = entry.at("graphs").get<std::vector<std::string>>(),
      .limits = ReadList<SuiteLimit>(entry, "limits", ReadLimit),
      .policies = entry.at("policies").get<std::vector<std::string>>(),
      .metrics = entry.at("metrics").get<std::vector<std::string>>(),
      .time_limit_s = entry.value("time_limit_s", 0.0),
      .lower_bound = entry.value("lower_bound", false),
      .published = ReadList<SuitePublished>(entry, "published", ReadPublished),
      .claims = ReadList<SuiteClaim>(entry, "claims", ReadClaim)};
}

Suite ReadSuite(const json& document) {
  Suite suite;
  for (const auto& [name, entry] : document.at("graphs").items()) {
    suite.graphs.push_back(ReadGraph(name, entry));
  }
  suite.figures = ReadList<SuiteFigure>(document, "figures", ReadFigure);
  return suite;
}

absl::Status Refuse(const SuiteFigure& figure, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("figure '", figure.id, "' ", what));
}

bool HasLimit(const SuiteFigure& figure, const std::string& label) {
  return std::any_of(
      figure.limits.begin(), figure.limits.end(),
      [&](const SuiteLimit& limit) { return limit.label == label; });
}

bool Has(const std::vector<std::string>& list, const std::string& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

absl::Status CheckClaim(const SuiteFigure& figure, const SuiteClaim& claim) {
  const SuiteQuantity& here = claim.here;
  for (const std::string& policy : {here.policy, here.over}) {
    if (!policy.empty() && !Has(figure.policies, policy)) {
      return Refuse(figure, absl::StrCat("claims something of policy '", policy,
                                         "', which it does not run"));
    }
  }
  for (const std::string& limit : {here.limit, here.over_limit}) {
    if (!limit.empty() && !HasLimit(figure, limit)) {
      return Refuse(figure, absl::StrCat("claims something at limit '", limit,
                                         "', which it does not have"));
    }
  }
  if (!here.graph.empty() && !Has(figure.graphs, here.graph)) {
    return Refuse(figure, absl::StrCat("claims something of graph '",
                                       here.graph, "', which it does not use"));
  }
  if (!Has({"mean", "min", "max"}, here.aggregate)) {
    return Refuse(figure, absl::StrCat("aggregates by '", here.aggregate,
                                       "'; use mean, min or max"));
  }
  return CheckMetric(here.metric);
}

absl::Status CheckFigure(const Suite& suite, const SuiteFigure& figure) {
  if (figure.limits.empty()) {
    return Refuse(figure, "has no limits; give at least one");
  }
  for (const std::string& name : figure.graphs) {
    const bool known = std::any_of(
        suite.graphs.begin(), suite.graphs.end(),
        [&](const SuiteGraph& graph) { return graph.name == name; });
    if (!known) {
      return Refuse(figure, absl::StrCat("uses graph '", name,
                                         "'; add it to the suite's graphs"));
    }
  }
  absl::Status status;
  for (const std::string& metric : figure.metrics) {
    status.Update(CheckMetric(metric));
  }
  for (const SuiteClaim& claim : figure.claims) {
    status.Update(CheckClaim(figure, claim));
  }
  return status;
}

absl::Status CheckGraph(const SuiteGraph& graph) {
  if (graph.captures.size() == 1 || graph.captures.size() == 2) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("graph '", graph.name, "' has ", graph.captures.size(),
                   " captures; give one, or two to scale"));
}

absl::StatusOr<Suite> ParseSuite(const std::string& text) {
  const absl::StatusOr<json> document = ParseJsonInput(text);
  if (!document.ok()) return document.status();
  absl::StatusOr<Suite> suite =
      ReadFields<Suite>([&] { return ReadSuite(*document); });
  if (!suite.ok()) return suite.status();
  absl::Status status;
  for (const SuiteGraph& graph : suite->graphs) {
    status.Update(CheckGraph(graph));
  }
  for (const SuiteFigure& figure : suite->figures) {
    status.Update(CheckFigure(*suite, figure));
  }
  if (!status.ok()) return status;
  return suite;
}

}  // namespace

std::string SuitePath(const std::string& name,
                      const Installation& installation) {
  if (name != "papers") return name;
  return absl::StrCat(installation.suite_dir, "/papers.json");
}

absl::StatusOr<Suite> LoadSuite(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Suite> suite = ParseSuite(*text);
  if (!suite.ok()) {
    return absl::Status(suite.status().code(),
                        absl::StrCat(path, ": ", suite.status().message()));
  }
  suite->path = path;
  return suite;
}

}  // namespace stowage::cli
