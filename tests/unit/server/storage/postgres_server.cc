#include "tests/unit/server/storage/postgres_server.h"

#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

constexpr absl::Duration kStartTime = absl::Seconds(60);

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "PostgreSQL: %s\n", what.c_str());
  std::abort();
}

// Returns the directory of the newest version that is installed.
std::string ProgramDirectory() {
  std::string newest;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    newest = std::max(newest, entry.path().string() + "/bin/");
  }
  if (newest.empty()) Die("not installed; run tools/setup.sh");
  return newest;
}

// Returns a command that runs what follows it as a user whom PostgreSQL does
// not refuse, as it does root.
std::string AsUser() {
  const char* switched =
      geteuid() == 0 ? "--reuid postgres --regid postgres --init-groups " : "";
  return absl::StrCat("exec setpriv ", switched, "--pdeathsig KILL ");
}

void RunScript(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(
      PQconnectdb(url.c_str()), &PQfinish);
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
      PQexec(connection.get(), sql.c_str()), &PQclear);
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
    Die(PQerrorMessage(connection.get()));
  }
}

}  // namespace

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() {
  const std::string data = directory_.path() + "/data";
  std::filesystem::create_directory(data);
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    if (user == nullptr) Die("there is no user 'postgres'");
    for (const std::string& path : {directory_.path(), data}) {
      if (chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) Die(path);
    }
  }
  const std::string make = absl::StrCat(
      "sh -c '", AsUser(), ProgramDirectory(), "initdb --no-sync -A trust",
      " -U stowage -E UTF8 --locale=C.UTF-8 -D ", data, " > ",
      directory_.path(), "/initdb.log 2>&1'");
  if (std::system(make.c_str()) != 0) Die("initdb failed");
  Start();
}

PostgresServer::~PostgresServer() { Kill(); }

void PostgresServer::Start() {
  std::vector<std::string> command = {
      "/bin/sh", "-c",
      absl::StrCat(AsUser(), ProgramDirectory(), "postgres -D ",
                   directory_.path(), "/data -k ", directory_.path(),
                   " -c listen_addresses= -c fsync=off >> ", directory_.path(),
                   "/log 2>&1")};
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&pid_, pointers[0], /*file_actions=*/nullptr,
                                &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) Die("cannot be started");
  const absl::Time deadline = SteadyNow() + kStartTime;
  while (PQping(Url().c_str()) != PQPING_OK) {
    if (SteadyNow() > deadline) Die("does not answer");
    absl::SleepFor(absl::Milliseconds(20));  // it has no other sign
  }
}

void PostgresServer::Signal(int signal) {
  // Each of its children leads a process group of its own.
  const std::string children =
      absl::StrCat("pkill -", signal, " -P ", pid_, " 2>/dev/null");
  if (std::system(children.c_str()) < 0) Die("pkill failed");
  kill(pid_, signal);
}

void PostgresServer::Kill() {
  if (pid_ < 0) return;
  Signal(SIGKILL);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

std::string PostgresServer::Url(const std::string& database) const {
  return absl::StrCat("postgresql:///", database, "?host=", directory_.path(),
                      "&user=stowage");
}

std::string PostgresServer::NewDatabase() {
  const std::string name = absl::StrCat("test_", ++databases_);
  RunScript(Url(), absl::StrCat("CREATE DATABASE ", name));
  return Url(name);
}

}  // namespace stowage
