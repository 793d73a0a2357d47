// Plays a placement service that answers each method as a script says
// (service_script.h): what stands there for a request is the answer. One that
// begins with "status:" and a digit, or a letter for codes from 10 on, is an
// error with the details behind it.
//
//   ScriptedService service(ReadScript(text), address);
//   std::unique_ptr<Client> client = *Client::Connect(address, {});
#ifndef STOWAGE_TESTS_FUZZ_SCRIPTED_SERVICE_H_
#define STOWAGE_TESTS_FUZZ_SCRIPTED_SERVICE_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/service_script.h"

namespace stowage {

class ScriptedService final : public grpc::CallbackGenericService {
 public:
  ScriptedService(const std::vector<ScriptedCall>& script,
                  const std::string& address) {
    for (const ScriptedCall& call : script) {
      Answers& answers = answers_[absl::StrCat(
          "/", call.method->service()->full_name(), "/", call.method->name())];
      for (const std::string& answer : call.requests) {
        answers.all.push_back(Encode(*call.method->output_type(), answer));
      }
      answers.streams =
          call.method->client_streaming() || call.method->server_streaming();
    }
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    Require(server_ != nullptr, "the scripted service starts");
  }
  ~ScriptedService() override {
    server_->Shutdown(std::chrono::system_clock::now());
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Call(this, context->method());
  }

 private:
  struct Answer {
    grpc::Status status;
    std::string bytes;
  };
  struct Answers {
    bool streams = false;
    std::vector<Answer> all;
    size_t next = 0;
  };

  // Answers each request of one call. Deletes itself.
  class Call final : public grpc::ServerGenericBidiReactor {
   public:
    Call(ScriptedService* service, std::string path)
        : service_(service), path_(std::move(path)) {
      StartRead(&bytes_);
    }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      const Answer answer = service_->Next(path_, &streams_);
      if (!answer.status.ok()) return Finish(answer.status);
      const grpc::Slice slice(answer.bytes);
      bytes_ = grpc::ByteBuffer(&slice, 1);
      StartWrite(&bytes_);
    }
    void OnWriteDone(bool ok) override {
      if (!ok || !streams_) return Finish(grpc::Status::OK);
      StartRead(&bytes_);
    }
    void OnDone() override { delete this; }

   private:
    ScriptedService* const service_;
    const std::string path_;
    bool streams_ = false;
    grpc::ByteBuffer bytes_;
  };

  static Answer Encode(const google::protobuf::Descriptor& type,
                       absl::string_view text) {
    if (!absl::ConsumePrefix(&text, "status:") || text.empty()) {
      return {grpc::Status::OK, ScriptNames().Encode(type, text)};
    }
    const int code = text[0] <= '9' ? text[0] - '0' : text[0] - 'a' + 10;
    return {grpc::Status(static_cast<grpc::StatusCode>(1 + (code & 15) % 16),
                         "scripted", std::string(text.substr(1))),
            ""};
  }

  // Returns the next answer of a method, and the last one again and again.
  Answer Next(const std::string& path, bool* streams) {
    absl::MutexLock lock(&mutex_);
    const auto found = answers_.find(path);
    if (found == answers_.end()) {
      return {grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "not scripted"),
              ""};
    }
    Answers& answers = found->second;
    *streams = answers.streams;
    const size_t number = std::min(answers.next++, answers.all.size() - 1);
    return answers.all[number];
  }

  absl::Mutex mutex_;
  std::map<std::string, Answers> answers_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<grpc::Server> server_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_SCRIPTED_SERVICE_H_
