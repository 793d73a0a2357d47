// Runs the service with the file of its database.
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns graphs of 60 KB each, all different.
v1::RegisterGraphRequest LargeGraph(int number) {
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(1000);
  request.mutable_graph()->mutable_tensors(0)->set_size_bytes(1 + number);
  return request;
}

mode_t ModeOf(const std::string& path) {
  struct stat file = {};
  EXPECT_EQ(stat(path.c_str(), &file), 0) << path;
  return file.st_mode & 07777;
}

class StowagedDatabaseTest : public ::testing::Test {
 protected:
  // Leaves a database of 60 graphs, and notes their ids.
  void Fill() {
    StowagedProcess server({db_});
    ASSERT_TRUE(server.WaitReady()) << server.output();
    std::unique_ptr<Client> client = server.Connect();
    for (int i = 0; i < 60; ++i) {
      ids_.push_back(client->RegisterGraph(LargeGraph(i))->graph_id());
      v1::MakePlanRequest request;
      request.set_graph_id(ids_.back());
      request.set_system_name("optane");
      request.set_fast_limit_bytes(int64_t{1} << 30);
      request.set_policy("belady");
      plan_ids_.push_back(client->MakePlan(request)->plan_id());
    }
    client.reset();  // the service would wait for it
    server.Signal(SIGTERM);
    ASSERT_EQ(server.Wait(), 0) << server.output();
  }

  // Damages the file; the first pages, which say what tables there are, stay
  // whole.
  void Damage() {
    const auto size_bytes = std::filesystem::file_size(path_);
    constexpr int kWholeBytes = 48 << 12;
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kWholeBytes);
    file << std::string(size_bytes - kWholeBytes, '\xff');
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/a.db";
  const std::string db_ = "--db=" + path_;
  std::vector<std::string> ids_;
  std::vector<std::string> plan_ids_;
};

TEST_F(StowagedDatabaseTest, BelongsToOneService) {
  StowagedProcess first({db_});
  ASSERT_TRUE(first.WaitReady()) << first.output();
  StowagedProcess second({db_});
  EXPECT_EQ(second.Wait(), 2);
  EXPECT_THAT(second.output(),
              AllOf(HasSubstr(path_),
                    HasSubstr(absl::StrCat("process ", first.pid()))));
  EXPECT_TRUE(first.Connect()->ListGraphs().ok());
  first.Signal(SIGKILL);
  first.Wait();
  StowagedProcess third({db_});
  EXPECT_TRUE(third.WaitReady()) << third.output();
}

TEST_F(StowagedDatabaseTest, IsForItsOwnerAloneWhateverTheUmask) {
  const auto server = StowagedProcess::Behind("umask 0; exec \"$@\"", {db_});
  ASSERT_TRUE(server->WaitReady()) << server->output();
  ASSERT_TRUE(server->Connect()->RegisterGraph(LargeGraph(0)).ok());
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    EXPECT_EQ(ModeOf(path_ + suffix), 0600) << suffix;
  }
}

TEST_F(StowagedDatabaseTest, ThatOthersMayReadIsWarnedAbout) {
  std::ofstream(path_).close();
  chmod(path_.c_str(), 0644);
  StowagedProcess server({db_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  EXPECT_THAT(server.output(), HasSubstr("level=warning"));
  EXPECT_THAT(server.output(), HasSubstr("chmod 600 " + path_));
}

TEST_F(StowagedDatabaseTest, IsBackedUpWhileItIsServedAndRestored) {
  const std::string copy = directory_.path() + "/copy.db";
  {
    StowagedProcess server({db_});
    ASSERT_TRUE(server.WaitReady()) << server.output();
    const std::unique_ptr<Client> client = server.Connect();
    ids_.push_back(client->RegisterGraph(LargeGraph(0))->graph_id());
    ASSERT_EQ(
        std::system(
            absl::StrCat("sqlite3 ", path_, " \".backup ", copy, "\"").c_str()),
        0);
    ids_.push_back(client->RegisterGraph(LargeGraph(1))->graph_id());
  }
  StowagedProcess restored({"--db=" + copy});
  ASSERT_TRUE(restored.WaitReady()) << restored.output();
  const std::unique_ptr<Client> client = restored.Connect();
  EXPECT_TRUE(client->GetGraph(ids_[0]).ok());
  EXPECT_TRUE(absl::IsNotFound(client->GetGraph(ids_[1]).status()));
  EXPECT_TRUE(client->RegisterGraph(LargeGraph(1)).ok());
}

TEST_F(StowagedDatabaseTest, ThatIsDamagedIsRefusedWithTheRemedy) {
  Fill();
  Damage();
  StowagedProcess server({db_});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.output(), AllOf(HasSubstr(path_), HasSubstr("damaged"),
                                     HasSubstr("restore the database")));
}

TEST_F(StowagedDatabaseTest, ThatIsFoundDamagedTakesNoMoreWrites) {
  Fill();
  StowagedProcess server({db_});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  Damage();
  std::unique_ptr<Client> client = server.Connect({.max_attempts = 1});
  bool met = false;
  for (const std::string& id : ids_) {
    met |= absl::IsDataLoss(client->GetGraph(id).status());
  }
  EXPECT_TRUE(met);
  EXPECT_TRUE(server.WaitForOutput(
      "level=error message=\"call failed\" "
      "method=stowage.v1.GraphService/GetGraph code=DATA_LOSS request_id="));
  met = false;
  for (const std::string& id : plan_ids_) {
    met |= absl::IsDataLoss(client->GetPlan(id).status());
  }
  EXPECT_TRUE(met);
  EXPECT_TRUE(server.WaitForOutput(
      "method=stowage.v1.PlacementService/GetPlan code=DATA_LOSS request_id="));
  const absl::Status refused = client->RegisterGraph(LargeGraph(999)).status();
  EXPECT_TRUE(absl::IsDataLoss(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("restore the database"));
  client.reset();
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0) << server.output();
}

// Runs in a mount namespace of its own, with a small disk at `directory_`.
class StowagedSmallDiskTest : public StowagedDatabaseTest {
 protected:
  void SetUp() override {
    for (const char* tool : {"unshare -m", "unshare -rm"}) {
      if (std::system(absl::StrCat(tool, " mount -t tmpfs tmpfs ",
                                   directory_.path(), " 2>/dev/null")
                          .c_str()) == 0) {
        unshare_ = tool;
        return;
      }
    }
    GTEST_SKIP() << "this user may not mount a file system";
  }

  // Starts a server. `prepare` is a script that knows the disk as $disk.
  std::unique_ptr<StowagedProcess> Start(const std::string& prepare) {
    return StowagedProcess::Behind(
        absl::StrCat("export PATH=/usr/bin:/bin:/usr/sbin:/sbin\n"
                     "exec ",
                     unshare_, " sh -e -c 'disk=", directory_.path(),
                     "\nmount -t tmpfs -o size=4m tmpfs $disk\n", prepare,
                     "\nexec \"$@\"' sh \"$@\""),
        {db_});
  }

  std::string unshare_;
};

TEST_F(StowagedSmallDiskTest, AFullDiskRefusesWritesAndLosesNothing) {
  const auto server = Start("head -c 2m /dev/zero > $disk/filler");
  ASSERT_TRUE(server->WaitReady()) << server->output();
  const std::unique_ptr<Client> client = server->Connect({.max_attempts = 1});
  absl::Status status;
  int number = 0;
  while (status.ok() && number < 1000) {
    const auto registered = client->RegisterGraph(LargeGraph(number++));
    status = registered.status();
    if (status.ok()) ids_.push_back(registered->graph_id());
  }
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("check the space"));
  ASSERT_FALSE(ids_.empty());
  for (const std::string& id : ids_) EXPECT_TRUE(client->GetGraph(id).ok());
  std::filesystem::remove(absl::StrCat("/proc/", server->pid(), "/root",
                                       directory_.path(), "/filler"));
  EXPECT_TRUE(client->RegisterGraph(LargeGraph(number)).ok());
  EXPECT_EQ(client->ListGraphs()->size(), ids_.size() + 1);
}

TEST_F(StowagedSmallDiskTest, AReadOnlyDirectoryIsNamedAtStart) {
  const auto server = Start("mount -o remount,ro $disk");
  EXPECT_EQ(server->Wait(), 2);
  EXPECT_THAT(server->output(),
              AllOf(HasSubstr(path_), HasSubstr("Read-only file system"),
                    HasSubstr("--db")));
}

TEST_F(StowagedSmallDiskTest, AFullDiskIsNamedAtStart) {
  const auto server = Start("head -c 8m /dev/zero > $disk/filler || true");
  EXPECT_EQ(server->Wait(), 2);
  EXPECT_THAT(server->output(),
              AllOf(HasSubstr(path_), HasSubstr("check the space")));
}

}  // namespace
}  // namespace stowage
