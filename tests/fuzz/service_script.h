// Reads the calls of a fuzzer's input: lines that name a method, each with its
// requests in the text format of Protocol Buffers.
//
//   for (const ScriptedCall& call : ReadScript(text)) {
//     Feed(names.Encode(*call.method->input_type(), call.requests[0]));
//   }
//
// | > GraphService/RegisterGraph
// | graph { schema_version: 1 name: "a" }
// | > PlacementService/Place
// | plan_id: "@plan_id"
// | +
// | kernel: 1
//
// A line of "+" begins the next request of a stream. A request that begins with
// "raw:" is the bytes behind it. What is no text format is sent as far as it is
// one.
#ifndef STOWAGE_TESTS_FUZZ_SERVICE_SCRIPT_H_
#define STOWAGE_TESTS_FUZZ_SERVICE_SCRIPT_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "tests/unit/server/rpc/requests.h"

namespace stowage {

struct ScriptedCall {
  const google::protobuf::MethodDescriptor* method = nullptr;
  std::vector<std::string> requests;  // as they stand in the script
};

// Returns the method whose name ends with `name`; some method if there is none.
inline const google::protobuf::MethodDescriptor* MethodNamed(
    absl::string_view name) {
  static const auto* methods = new auto(ServiceMethods());
  for (const auto* method : *methods) {
    const std::string full =
        absl::StrCat(method->service()->name(), "/", method->name());
    if (absl::EndsWith(full, name) && !name.empty()) return method;
  }
  const unsigned char first = name.empty() ? 0 : name.front();
  return (*methods)[(first + name.size()) % methods->size()];
}

inline std::vector<ScriptedCall> ReadScript(absl::string_view text) {
  std::vector<ScriptedCall> calls;
  bool starts = true;  // a request
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, "> ")) {
      calls.push_back({.method = MethodNamed(line), .requests = {""}});
      starts = true;
    } else if (calls.empty()) {
      continue;
    } else if (line == "+") {
      calls.back().requests.emplace_back();
      starts = true;
    } else {
      absl::StrAppend(&calls.back().requests.back(), starts ? "" : "\n", line);
      starts = false;
    }
  }
  return calls;
}

// Says nothing of what it is told.
class SilentErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

// Keeps what answers named, so that later requests may: "@graph_id" stands for
// the last one. Not thread-safe.
class ScriptNames {
 public:
  // Returns the bytes of a request.
  std::string Encode(const google::protobuf::Descriptor& type,
                     absl::string_view request) const {
    if (absl::ConsumePrefix(&request, "raw:")) return std::string(request);
    SilentErrors errors;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    parser.AllowPartialMessage(true);
    const std::unique_ptr<google::protobuf::Message> message(
        google::protobuf::MessageFactory::generated_factory()
            ->GetPrototype(&type)
            ->New());
    parser.ParseFromString(absl::StrReplaceAll(request, names_), message.get());
    return message->SerializePartialAsString();
  }

  // Notes the texts in an answer and in the messages in it.
  void Note(const google::protobuf::Message& answer) {
    using google::protobuf::FieldDescriptor;
    const auto& reflection = *answer.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(answer, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->is_repeated()) continue;
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Note(reflection.GetMessage(answer, field));
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        names_[absl::StrCat("@", field->name())] =
            reflection.GetString(answer, field);
      }
    }
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_SERVICE_SCRIPT_H_
