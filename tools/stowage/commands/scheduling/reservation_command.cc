#include "tools/stowage/commands/scheduling/reservation_command.h"

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/inputs/service_client.h"
#include "tools/stowage/inputs/size_option.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

struct ReservationArguments {
  std::string id;
  std::string node;
  std::string fast;
  double lease_s = 60;
  std::string purpose;
  std::string job;
  std::string service;
  bool json = false;
};

using Action =
    std::function<absl::Status(const ReservationArguments&, Client&)>;

nlohmann::json ToJson(const v1::Reservation& reservation) {
  return {{"reservation_id", reservation.reservation_id()},
          {"node", reservation.node()},
          {"fast_bytes", reservation.fast_bytes()},
          {"lease_seconds", static_cast<double>(reservation.lease_ms()) / 1000},
          {"job_id", reservation.job_id()},
          {"holder", reservation.holder()},
          {"purpose", reservation.purpose()},
          {"request_id", reservation.request_id()}};
}

// Prints the id alone, so that a script can keep it.
void Print(const v1::Reservation& reservation, bool json) {
  std::cout << (json ? ToJson(reservation).dump()
                     : reservation.reservation_id())
            << "\n";
}

absl::Status Add(const ReservationArguments& arguments, Client& client) {
  const absl::StatusOr<int64_t> fast_bytes =
      ParseSize("--fast", arguments.fast);
  if (!fast_bytes.ok()) return fast_bytes.status();
  v1::ReserveRequest request;
  request.set_request_id(arguments.id);
  request.set_node(arguments.node);
  request.set_fast_bytes(*fast_bytes);
  request.set_lease_ms(
      absl::ToInt64Milliseconds(absl::Seconds(arguments.lease_s)));
  request.set_purpose(arguments.purpose);
  const absl::StatusOr<v1::Reservation> reserved = client.Reserve(request);
  if (reserved.ok()) Print(*reserved, arguments.json);
  return reserved.status();
}

absl::Status Renew(const ReservationArguments& arguments, Client& client) {
  const absl::StatusOr<v1::RenewReservationResponse> renewed =
      client.RenewReservation(arguments.id, arguments.job);
  if (!renewed.ok()) return renewed.status();
  Print(renewed->reservation(), arguments.json);
  if (!renewed->node_alive()) {
    std::cerr << "stowage: node " << renewed->reservation().node()
              << " has not been heard of for a while\n";
  }
  return absl::OkStatus();
}

absl::Status Release(const ReservationArguments& arguments, Client& client) {
  return client.ReleaseReservation(arguments.id);
}

absl::Status List(const ReservationArguments& arguments, Client& client) {
  const absl::StatusOr<std::vector<v1::Reservation>> reservations =
      client.ListReservations(arguments.node);
  if (!reservations.ok()) return reservations.status();
  if (arguments.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const v1::Reservation& r : *reservations) list.push_back(ToJson(r));
    std::cout << list.dump(2) << "\n";
    return absl::OkStatus();
  }
  Table table(
      {"reservation", "node", "fast memory", "lease", "job", "purpose"});
  for (const v1::Reservation& r : *reservations) {
    table.AddRow({r.reservation_id(), r.node(), FormatBytes(r.fast_bytes()),
                  FormatDurationNs(r.lease_ms() * 1'000'000), r.job_id(),
                  r.purpose()});
  }
  std::cout << (reservations->empty() ? "no reservations\n" : table.ToText());
  return absl::OkStatus();
}

int AtService(const ReservationArguments& arguments, const Action& action) {
  const absl::StatusOr<std::unique_ptr<Client>> client =
      ConnectToService(arguments.service);
  if (!client.ok()) return ReportError(client.status());
  return ReportError(action(arguments, **client));
}

// Adds a subcommand, and the options that all of them have.
Options AddAction(Options& parent, const std::string& name,
                  const std::string& help,
                  const std::shared_ptr<ReservationArguments>& arguments,
                  Action action, CommandList& commands) {
  Options app = parent.AddSubcommand(name, help);
  app.Add("--service", arguments->service, "Address of the service")
      .Required()
      .FromEnvironment("STOWAGE_SERVICE");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments, action = std::move(action)] {
                        return AtService(*arguments, action);
                      }});
  return app;
}

void AddAddCommand(Options& parent, CommandList& commands) {
  auto arguments = std::make_shared<ReservationArguments>();
  Options app = AddAction(parent, "add",
                          "Reserve fast memory of a node, and print the id",
                          arguments, Add, commands);
  app.Add("request", arguments->id,
          "Name of the request, such as the scheduler's id of the job; "
          "repeating it returns the reservation that there is")
      .Required();
  app.Add("--node", arguments->node, "Node").Required();
  app.Add("--fast", arguments->fast, "Fast memory: 8GiB").Required();
  app.Add("--lease", arguments->lease_s,
          "Seconds that it lasts without a renewal")
      .Check(SecondsUpTo(86400))
      .ShowDefault();
  app.Add("--purpose", arguments->purpose, "For people who list it");
}

}  // namespace

void AddReservationCommands(Options& root, CommandList& commands) {
  Options parent = root.AddSubcommand(
      "reservation", "Hold fast memory of a node until a job runs");
  parent.RequireSubcommand();
  AddAddCommand(parent, commands);
  auto renewed = std::make_shared<ReservationArguments>();
  Options renew = AddAction(parent, "renew", "Renew the lease of a reservation",
                            renewed, Renew, commands);
  renew.Add("reservation", renewed->id, "Its id").Required();
  renew.Add("--job", renewed->job,
            "The job that has it from now on, for as long as it runs");
  auto released = std::make_shared<ReservationArguments>();
  AddAction(parent, "release", "Release a reservation", released, Release,
            commands)
      .Add("reservation", released->id, "Its id")
      .Required();
  auto listed = std::make_shared<ReservationArguments>();
  AddAction(parent, "list", "List reservations", listed, List, commands)
      .Add("--node", listed->node, "Those of one node");
}

}  // namespace stowage::cli
