#include "server/training/trainer_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/util/delimited_message_util.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "server/training/episode_proto.h"

namespace stowage {
namespace {

constexpr absl::string_view kProgram = "stowage-trainer";

// Owns one end of a pipe.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { Close(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }

  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read;
  Fd write;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe for the trainer");
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// While it lives, a write to a reader that has gone fails and raises no signal.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec at_once = {};
    while (sigtimedwait(&sigpipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t sigpipe_;
  sigset_t before_;
};

// Owns a running trainer with its pipes. The destructor kills the process.
class Trainer {
 public:
  static absl::StatusOr<Trainer> Start(const TrainerOptions& options);

  Trainer(pid_t pid, Fd input, Fd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}
  Trainer(Trainer&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        input_(std::move(other.input_)),
        output_(std::move(other.output_)) {}
  ~Trainer() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    Wait();
  }

  // Sends the job. Returns false if the trainer does not read it.
  bool Send(const v1::TrainerJob& job) {
    const NoSigpipe no_sigpipe;
    const bool sent =
        google::protobuf::util::SerializeDelimitedToFileDescriptor(
            job, input_.get());
    input_.Close();
    return sent;
  }

  int output() const { return output_.get(); }
  void Cancel() { kill(pid_, SIGTERM); }

  // Blocks until the process has ended, and says how it has.
  std::string Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) {
      return absl::StrCat("signal ", WTERMSIG(status), " (",
                          strsignal(WTERMSIG(status)), ")");
    }
    return absl::StrCat("status ", WEXITSTATUS(status));
  }

 private:
  pid_t pid_;
  Fd input_;
  Fd output_;
};

// Lets the process neither block nor ignore signals. The service blocks those
// that end it.
void ResetSignals(posix_spawnattr_t* attributes) {
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(attributes, &none);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int signal : {SIGTERM, SIGINT, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(attributes, &defaults);
  // In its own process group, so that Ctrl-C reaches it only if we pass it on.
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                           POSIX_SPAWN_SETSIGDEF |
                                           POSIX_SPAWN_SETPGROUP);
}

absl::StatusOr<Trainer> Trainer::Start(const TrainerOptions& options) {
  absl::StatusOr<Pipe> input = MakePipe();
  if (!input.ok()) return input.status();
  absl::StatusOr<Pipe> output = MakePipe();
  if (!output.ok()) return output.status();
  std::vector<std::string> words = {
      options.path, absl::StrCat(options.niceness), absl::StrCat(getpid())};
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input->read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output->write.get(),
                                   STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  ResetSignals(&attributes);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, options.path.c_str(), &actions,
                                &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot start the trainer ", options.path, ": ", strerror(error),
        "; install ", kProgram, " beside stowaged or name it with --trainer"));
  }
  return Trainer(pid, std::move(input->write), std::move(output->read));
}

v1::TrainerJob JobToProto(const TrainingJob& job) {
  v1::TrainerJob proto;
  *proto.mutable_graph() = policies::GraphToProto(job.graph);
  *proto.mutable_system() = policies::MemorySystemToProto(job.system);
  proto.set_fast_limit_bytes(job.fast_limit_bytes);
  *proto.mutable_options() = job.options;
  proto.set_seed(job.seed);
  if (job.start.has_value()) {
    proto.set_start_policy(policies::EncodeDqnPolicy(*job.start));
  }
  return proto;
}

absl::StatusOr<policies::DqnPolicy> ResultFromProto(
    const v1::TrainerResult& result) {
  if (result.code() != 0) {
    return absl::Status(static_cast<absl::StatusCode>(result.code()),
                        result.message());
  }
  return policies::DecodeDqnPolicy(result.policy());
}

// Passes episodes on until the result comes, and returns that.
absl::StatusOr<policies::DqnPolicy> Follow(Trainer* trainer,
                                           OnEpisode on_episode) {
  google::protobuf::io::FileInputStream stream(trainer->output());
  bool cancelled = false;
  for (;;) {
    v1::TrainerOutput output;
    bool clean_end = false;
    if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(
            &output, &stream, &clean_end)) {
      return absl::InternalError(absl::StrCat(
          "the trainer ended without a result, with ", trainer->Wait(),
          "; the serving version goes on serving"));
    }
    if (output.has_result()) {
      trainer->Wait();
      return ResultFromProto(output.result());
    }
    const absl::StatusOr<policies::DqnPolicy> checkpoint =
        policies::DecodeDqnPolicy(output.episode().checkpoint());
    if (!checkpoint.ok()) return checkpoint.status();
    if (on_episode(
            EpisodeFromProto(output.episode().episode(), &*checkpoint)) ||
        cancelled) {
      continue;
    }
    cancelled = true;
    trainer->Cancel();
  }
}

}  // namespace

absl::StatusOr<std::string> FindTrainer() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read /proc/self/exe to find ", kProgram, ": ",
                     error.message(), "; name it with --trainer"));
  }
  return (self.parent_path() / std::string(kProgram)).string();
}

TrainFunction TrainerProcess(TrainerOptions options) {
  return [options = std::move(options)](
             const TrainingJob& job,
             OnEpisode on_episode) -> absl::StatusOr<policies::DqnPolicy> {
    absl::StatusOr<Trainer> trainer = Trainer::Start(options);
    if (!trainer.ok()) return trainer.status();
    if (!trainer->Send(JobToProto(job))) {
      return absl::InternalError(absl::StrCat("the trainer ", options.path,
                                              " ended with ", trainer->Wait(),
                                              " before it had read its job"));
    }
    return Follow(&*trainer, on_episode);
  };
}

}  // namespace stowage
