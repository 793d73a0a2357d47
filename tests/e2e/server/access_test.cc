// Who may call what, over mutual TLS.
#include <sys/wait.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client_sdk/cpp/channel.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "network/certificates.h"
#include "stowage/v1/graphs.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/training.pb.h"
#include "tests/e2e/server/raw_call.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/agents/agent_process.h"
#include "tests/unit/network/test_authority.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Which of scheduler, agent, job and operator may call each method.
const std::map<std::string, std::string>& MayCall() {
  static const auto* const kMayCall =
      new std::map<std::string, std::string>{{"CancelTraining", "o"},
                                             {"DeleteGraph", "o"},
                                             {"EstimateJob", "so"},
                                             {"RankNodes", "so"},
                                             {"Reserve", "so"},
                                             {"RenewReservation", "so"},
                                             {"ReleaseReservation", "so"},
                                             {"ListReservations", "so"},
                                             {"FinishJob", "ao"},
                                             {"GetGraph", "sajo"},
                                             {"GetJob", "sao"},
                                             {"GetPlan", "sajo"},
                                             {"GetTraining", "so"},
                                             {"GetVersion", "so"},
                                             {"Heartbeat", "ao"},
                                             {"ListGraphs", "so"},
                                             {"ListJobs", "so"},
                                             {"ListNodes", "so"},
                                             {"ListPlans", "so"},
                                             {"ListPolicies", "sajo"},
                                             {"ListTrainings", "so"},
                                             {"ListVersions", "so"},
                                             {"MakePlan", "sajo"},
                                             {"Place", "ajo"},
                                             {"PlaceOnce", "ajo"},
                                             {"PromoteVersion", "o"},
                                             {"RegisterGraph", "sajo"},
                                             {"RegisterNode", "ao"},
                                             {"ResizeJob", "so"},
                                             {"RollBackVersion", "o"},
                                             {"StartJob", "ao"},
                                             {"StartTraining", "sao"},
                                             {"StreamTelemetry", "ao"},
                                             {"WatchTraining", "so"}};
  return *kMayCall;
}

std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const google::protobuf::Descriptor* message :
       {v1::GetGraphRequest::descriptor(), v1::GetJobRequest::descriptor(),
        v1::ListNodesRequest::descriptor(), v1::GetPlanRequest::descriptor(),
        v1::ReserveRequest::descriptor(),
        v1::GetTrainingRequest::descriptor()}) {
    const auto* service = message->file()->service(0);
    for (int i = 0; i < service->method_count(); ++i) {
      methods.push_back(service->method(i));
    }
  }
  return methods;
}

class AccessTest : public testing::Test {
 protected:
  AccessTest() {
    service_files_ =
        WriteTlsFiles(directory_.path(), "service",
                      authority_.Issue("DNS:localhost"), authority_);
    WriteText(config_path_, "roles = \"agent=*.nodes.example\"\n");
    server_ = std::make_unique<StowagedProcess>(std::vector<std::string>{
        "--listen=127.0.0.1:0",
        "--tls-certificate=" + service_files_.certificate,
        "--tls-key=" + service_files_.key,
        "--tls-authorities=" + service_files_.authorities,
        "--config=" + config_path_});
    EXPECT_TRUE(server_->WaitReady()) << server_->output();
  }

  const std::string& Address() const { return server_->grpc_address(); }
  ClientOptions OptionsWith(const TestCertificate& own) {
    const TlsFiles files =
        WriteTlsFiles(directory_.path(), absl::StrCat("client-", ++clients_),
                      own, authority_);
    absl::StatusOr<std::shared_ptr<Certificates>> certificates =
        Certificates::Load(files);
    EXPECT_TRUE(certificates.ok()) << certificates.status();
    return {.certificates = *certificates,
            .server_name = "localhost",
            .connect_timeout = absl::Seconds(2),
            .deadline = absl::Seconds(5),
            .max_attempts = 1};
  }
  ClientOptions OptionsOf(const std::string& names) {
    return OptionsWith(authority_.Issue(names));
  }
  std::unique_ptr<Client> ConnectAs(const std::string& names) {
    absl::StatusOr<std::unique_ptr<Client>> client =
        Client::Connect(Address(), OptionsOf(names));
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  bool Connects(const ClientOptions& options) {
    return Client::Connect(Address(), options).ok();
  }

  const TemporaryDirectory directory_;
  const std::string config_path_ = directory_.path() + "/stowaged.conf";
  const TestAuthority authority_;
  TlsFiles service_files_;
  std::unique_ptr<StowagedProcess> server_;
  int clients_ = 0;
};

TEST_F(AccessTest, EachRoleMayCallWhatItsListSays) {
  const std::vector<const google::protobuf::MethodDescriptor*> methods =
      AllMethods();
  EXPECT_EQ(methods.size(), MayCall().size());
  for (const std::string role : {"scheduler", "agent", "job", "operator"}) {
    RawCaller caller(MakeChannel(
        Address(), OptionsOf("URI:spiffe://stowage/" + role + "/x")));
    for (const auto* method : methods) {
      const bool may =
          absl::StrContains(MayCall().at(method->name()), role.substr(0, 1));
      // An empty request: whoever gets in is told what it lacks.
      const absl::Status status = caller.Call(PathOf(*method), "");
      EXPECT_EQ(absl::IsPermissionDenied(status), !may)
          << role << " " << method->name() << ": " << status;
      EXPECT_FALSE(absl::IsUnauthenticated(status)) << status;
    }
  }
}

TEST_F(AccessTest, ACertificateWithoutARoleMayCallNothing) {
  for (const std::string names :
       {"DNS:somebody.example", "URI:spiffe://elsewhere/operator/x"}) {
    RawCaller caller(MakeChannel(Address(), OptionsOf(names)));
    for (const auto* method : AllMethods()) {
      const absl::Status status = caller.Call(PathOf(*method), "");
      EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
      EXPECT_THAT(status.message(), HasSubstr("of which none has a role"));
    }
  }
}

TEST_F(AccessTest, NobodyConnectsWithoutAValidCertificate) {
  const TestAuthority other;
  EXPECT_TRUE(Connects(OptionsOf("URI:spiffe://stowage/operator/x")));
  // Plain text; one of an unknown authority; one that expires meanwhile.
  EXPECT_FALSE(Connects({.connect_timeout = absl::Seconds(1)}));
  EXPECT_FALSE(
      Connects(OptionsWith(other.Issue("URI:spiffe://stowage/operator/x"))));
  const ClientOptions expires = OptionsWith(
      authority_.Issue("URI:spiffe://stowage/operator/x", absl::Seconds(2)));
  absl::SleepFor(absl::Seconds(3));
  EXPECT_FALSE(Connects(expires));
}

TEST_F(AccessTest, AClientDoesNotTalkToAServiceOfAnotherName) {
  ClientOptions options = OptionsOf("URI:spiffe://stowage/operator/x");
  options.server_name = "elsewhere.example";
  EXPECT_FALSE(Connects(options));
}

TEST_F(AccessTest, AnAuthorityThatIsTakenAwayLetsNobodyInAnyMore) {
  const ClientOptions options = OptionsOf("URI:spiffe://stowage/operator/x");
  EXPECT_TRUE(Connects(options));
  WriteText(service_files_.authorities, TestAuthority().certificate());
  while (Connects(options)) {
  }
  WriteText(service_files_.authorities, authority_.certificate());
  while (!Connects(options)) {
  }
}

TEST_F(AccessTest, RolesThatAreReadAgainCountForCallsOfOldConnections) {
  const auto client = ConnectAs("DNS:sched.example");
  EXPECT_TRUE(absl::IsUnauthenticated(client->ListNodes().status()));
  WriteText(config_path_, "roles = \"scheduler=sched.example\"\n");
  server_->Signal(SIGHUP);
  ASSERT_TRUE(server_->WaitForOutput("setting=roles")) << server_->output();
  EXPECT_TRUE(client->ListNodes().ok());
  EXPECT_TRUE(absl::IsUnauthenticated(
      ConnectAs("DNS:n7.nodes.example")->ListNodes().status()));
}

TEST_F(AccessTest, WhoCallsTooOftenIsRefusedAndOthersAreNot) {
  WriteText(config_path_, "calls-per-second = 1\n");
  server_->Signal(SIGHUP);
  const auto client = ConnectAs("URI:spiffe://stowage/job/a");
  absl::Status status;
  while (status.ok()) status = client->ListPolicies().status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("spiffe://stowage/job/a"),
                    HasSubstr("1 calls a second; try again in")));
  EXPECT_TRUE(ConnectAs("URI:spiffe://stowage/job/b")->ListPolicies().ok());
  const auto operates = ConnectAs("URI:spiffe://stowage/operator/o");
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(operates->ListPolicies().ok());
}

TEST_F(AccessTest, WhoHasTooManyStreamsOpenIsRefusedAndOthersAreNot) {
  WriteText(config_path_, "streams = 1\n");
  server_->Signal(SIGHUP);
  ASSERT_TRUE(server_->WaitForOutput("setting=streams")) << server_->output();
  const auto client = ConnectAs("URI:spiffe://stowage/job/a");
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(8);
  v1::MakePlanRequest make;
  make.set_graph_id(client->RegisterGraph(registration)->graph_id());
  *make.mutable_system() = TwoTiers();
  make.set_fast_limit_bytes(8 * kChainTensorBytes);
  v1::PlaceRequest place;
  place.set_plan_id(client->MakePlan(make)->plan_id());

  auto first = client->Place();
  EXPECT_TRUE(first->Send(place).ok());
  const absl::Status second = client->Place()->Send(place).status();
  EXPECT_TRUE(absl::IsResourceExhausted(second)) << second;
  EXPECT_THAT(std::string(second.message()),
              HasSubstr("job/a' has 1 streams open"));
  EXPECT_TRUE(
      ConnectAs("URI:spiffe://stowage/job/b")->Place()->Send(place).ok());
  first.reset();
  // The service learns of the end a moment later.
  while (!client->Place()->Send(place).ok()) {
  }
}

TEST_F(AccessTest, AGraphLargerThanAnIdentityMayRegisterIsRefused) {
  WriteText(config_path_, "graph-mib = 0.5\n");
  server_->Signal(SIGHUP);
  ASSERT_TRUE(server_->WaitForOutput("setting=graph-mib")) << server_->output();
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(20'000);
  const absl::Status refused =
      ConnectAs("URI:spiffe://stowage/job/a")->RegisterGraph(request).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("larger than the 0.5 MiB"));
  EXPECT_TRUE(ConnectAs("URI:spiffe://stowage/operator/o")
                  ->RegisterGraph(request)
                  .ok());
}

TEST_F(AccessTest, WhoStoresTooMuchIsRefused) {
  WriteText(config_path_, "stored-mib-per-minute = 1\n");
  server_->Signal(SIGHUP);
  const auto client = ConnectAs("URI:spiffe://stowage/job/a");
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(20'000);
  absl::Status status;
  while (status.ok()) status = client->RegisterGraph(request).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("MiB of graphs"));
  EXPECT_TRUE(client->ListPolicies().ok());
}

TEST_F(AccessTest, ACertificateThatBecomesGarbageIsNotUsed) {
  WriteText(service_files_.certificate, "garbage");
  WriteText(service_files_.key, "garbage");
  // As long as it takes to notice a change, and longer.
  const absl::Time end = absl::Now() + absl::Seconds(4);
  while (absl::Now() < end) {
    ASSERT_TRUE(Connects(OptionsOf("URI:spiffe://stowage/operator/x")));
  }
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 0);
  EXPECT_THAT(server_->output(), HasSubstr("holds no certificate in PEM; the "
                                           "certificates before stay in use"));
}

TEST_F(AccessTest, TheLogSaysWhoChangedSomethingAndWhoMayNot) {
  v1::RegisterNodeRequest node;
  *node.mutable_system() = TwoTiers();
  node.set_node("n7");
  EXPECT_TRUE(
      ConnectAs("URI:spiffe://stowage/agent/n7")->RegisterNode(node).ok());
  EXPECT_TRUE(server_->WaitForOutput(
      "method=stowage.v1.NodeService/RegisterNode code=OK request_id="));
  EXPECT_TRUE(server_->WaitForOutput(
      "caller=spiffe://stowage/agent/n7 role=agent peer=ipv4:127.0.0.1:"));
  EXPECT_TRUE(server_->WaitForOutput(" node=n7\n"));
  const absl::Status refused =
      ConnectAs("URI:spiffe://stowage/job/j")->DeleteGraph("g");
  const std::vector<std::string> words =
      absl::StrSplit(refused.message(), absl::ByAnyChar(" )"));
  ASSERT_GT(words.size(), 3) << refused;
  EXPECT_TRUE(server_->WaitForOutput(
      "level=warning message=\"call failed\" "
      "method=stowage.v1.GraphService/DeleteGraph code=PERMISSION_DENIED "));
  // The message ends with "(x-request-id ID)".
  EXPECT_TRUE(server_->WaitForOutput("request_id=" + words[words.size() - 2]))
      << refused;
  EXPECT_TRUE(server_->WaitForOutput("caller=spiffe://stowage/job/j role=job"));
}

TEST_F(AccessTest, AnAgentSpeaksForItsNodeAndItsJobsAlone) {
  v1::RegisterNodeRequest node;
  *node.mutable_system() = TwoTiers();
  node.set_node("n7");
  for (const std::string names :
       {"URI:spiffe://stowage/agent/n7", "DNS:n7.nodes.example"}) {
    EXPECT_TRUE(ConnectAs(names)->RegisterNode(node).ok());
  }
  const auto other = ConnectAs("URI:spiffe://stowage/agent/n8");
  EXPECT_TRUE(absl::IsPermissionDenied(other->RegisterNode(node).status()));
  v1::Job job;
  job.set_job_id("j");
  job.set_node("n7");
  EXPECT_TRUE(absl::IsPermissionDenied(other->StartJob(job)));
  EXPECT_TRUE(ConnectAs("URI:spiffe://stowage/agent/n7")->StartJob(job).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(other->GetJob("j").status()));
  EXPECT_TRUE(absl::IsPermissionDenied(other->FinishJob("j")));
  EXPECT_TRUE(ConnectAs("URI:spiffe://stowage/scheduler/s")->GetJob("j").ok());
}

TEST_F(AccessTest, TheCommandLineSaysByItsStatusThatACallIsNotPermitted) {
  for (const std::string names :
       {"URI:spiffe://stowage/job/j", "DNS:unknown.example"}) {
    const TlsFiles files = WriteTlsFiles(directory_.path(), "cli",
                                         authority_.Issue(names), authority_);
    const int status = std::system(
        absl::StrCat("STOWAGE_SERVER_NAME=localhost STOWAGE_TLS_CERTIFICATE=",
                     files.certificate, " STOWAGE_TLS_KEY=", files.key,
                     " STOWAGE_TLS_AUTHORITIES=", files.authorities, " ",
                     STOWAGE_BINARY_DIR "/bin/stowage status --service ",
                     Address())
            .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 77) << names;
  }
}

TEST_F(AccessTest, ARealAgentRegistersItsNode) {
  const TlsFiles files = WriteTlsFiles(
      directory_.path(), "agent",
      authority_.Issue("URI:spiffe://stowage/agent/n7"), authority_);
  const agent::AgentProcess agent(
      directory_.path(),
      {"--service=" + Address(), "--server-name=localhost", "--node=n7",
       "--slow=emulated:cxl,size=64MiB",
       "--tls-certificate=" + files.certificate, "--tls-key=" + files.key,
       "--tls-authorities=" + files.authorities});
  const auto scheduler = ConnectAs("URI:spiffe://stowage/scheduler/s");
  while (scheduler->ListNodes()->empty()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(scheduler->ListNodes()->front().node(), "n7");
}

}  // namespace
}  // namespace stowage
