#include "tests/unit/server/rpc/requests.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/unknown_field_set.h"
#include "stowage/v1/bounds.pb.h"
#include "stowage/v1/graphs.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/training.pb.h"

namespace stowage {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

v1::Bounds BoundsOf(const FieldDescriptor* field) {
  return field->options().GetExtension(v1::bounds);
}

std::string TextWithin(const v1::Bounds& bounds) {
  return bounds.form() == v1::FORM_DIGEST ? std::string(64, 'a') : "x";
}

void SetText(const FieldDescriptor* field, const std::string& text,
             Message* message) {
  if (field->is_repeated()) {
    message->GetReflection()->AddString(message, field, text);
  } else {
    message->GetReflection()->SetString(message, field, text);
  }
}

void SetInt(const FieldDescriptor* field, int64_t value, Message* message) {
  const auto& reflection = *message->GetReflection();
  const auto narrow = static_cast<int32_t>(value);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    if (field->is_repeated()) {
      return reflection.AddInt32(message, field, narrow);
    }
    return reflection.SetInt32(message, field, narrow);
  }
  if (field->is_repeated()) return reflection.AddInt64(message, field, value);
  reflection.SetInt64(message, field, value);
}

void FillWithin(Message* message) {
  const Descriptor& type = *message->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const v1::Bounds bounds = BoundsOf(field);
    if (field->is_repeated() || field->has_optional_keyword()) continue;
    if (bounds.least() > 0) SetInt(field, bounds.least(), message);
    if (!bounds.required()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      FillWithin(message->GetReflection()->MutableMessage(message, field));
    } else {
      SetText(field, TextWithin(bounds), message);
    }
  }
}

// Breaks one bound of `message`, which is the request or lies within it.
using Break = std::function<void(Message* message)>;
struct Breakage {
  std::string how;
  Break apply;
};

void AddTextBreakages(const FieldDescriptor* field, const v1::Bounds& bounds,
                      std::vector<Breakage>* breakages) {
  const auto add = [&](const std::string& how, const std::string& text) {
    breakages->push_back({how, [=](Message* m) { SetText(field, text, m); }});
  };
  if (bounds.required()) add("empty", "");
  if (bounds.max_bytes() > 0) {
    add("too long", std::string(bounds.max_bytes() + 1, 'a'));
  }
  switch (bounds.form()) {
    case v1::FORM_NAME:
      add("too long", std::string(129, 'a'));
      add("no name", "a/b");
      break;
    case v1::FORM_ID:
      add("too long", std::string(257, 'a'));
      add("no id", "a\tb");
      break;
    case v1::FORM_DIGEST:
      add("too short", std::string(63, 'a'));
      add("no hex", std::string(64, 'g'));
      break;
    default:
      break;
  }
}

void AddNumberBreakages(const FieldDescriptor* field, const v1::Bounds& bounds,
                        std::vector<Breakage>* breakages) {
  if (!field->options().HasExtension(v1::bounds)) return;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    for (double value : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()}) {
      breakages->push_back({absl::StrCat(value), [=](Message* m) {
                              m->GetReflection()->SetDouble(m, field, value);
                            }});
    }
    return;
  }
  const auto add = [&](int64_t value) {
    breakages->push_back(
        {absl::StrCat(value), [=](Message* m) { SetInt(field, value, m); }});
  };
  if (bounds.has_least()) add(bounds.least() - 1);
  if (bounds.has_most()) add(bounds.most() + 1);
}

void AddMessageBreakages(const FieldDescriptor* field, const v1::Bounds& bounds,
                         std::vector<Breakage>* breakages) {
  if (bounds.required()) {
    breakages->push_back({"missing", [=](Message* m) {
                            m->GetReflection()->ClearField(m, field);
                          }});
  }
  if (bounds.max_bytes() > 0) {
    breakages->push_back(
        {"too large", [=](Message* m) {
           Message* nested = m->GetReflection()->MutableMessage(m, field);
           FillWithin(nested);
           nested->GetReflection()
               ->MutableUnknownFields(nested)
               ->AddLengthDelimited(15000,
                                    std::string(bounds.max_bytes(), 'a'));
         }});
  }
}

std::vector<Breakage> BreakagesOf(const FieldDescriptor* field) {
  const v1::Bounds bounds = BoundsOf(field);
  std::vector<Breakage> breakages;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      AddTextBreakages(field, bounds, &breakages);
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      AddMessageBreakages(field, bounds, &breakages);
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
    case FieldDescriptor::CPPTYPE_ENUM:
      break;
    default:
      AddNumberBreakages(field, bounds, &breakages);
  }
  return breakages;
}

// Adds changes that break `message`, found in a request by `reach`.
void AddViolations(const Descriptor& request, const Descriptor& type,
                   const std::string& prefix,
                   const std::function<Message*(Message*)>& reach,
                   std::vector<Violation>* violations) {
  const auto add = [&](const std::string& path, const Breakage& breakage) {
    Violation violation = {path, breakage.how, RequestWithin(request)};
    breakage.apply(reach(violation.request.get()));
    violations->push_back(std::move(violation));
  };
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const std::string path = absl::StrCat(prefix, field->name());
    const std::string value =
        field->is_repeated() ? absl::StrCat(path, "[0]") : path;
    for (const Breakage& breakage : BreakagesOf(field)) add(value, breakage);
    if (field->is_repeated() && BoundsOf(field).max_items() > 0) {
      add(path,
          {"too many", [field](Message* m) {
             for (int n = 0; n <= BoundsOf(field).max_items(); ++n) {
               if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
                 SetInt(field, 0, m);
               } else {
                 m->GetReflection()->AddMessage(m, field);
               }
             }
           }});
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    AddViolations(
        request, *field->message_type(), absl::StrCat(value, "."),
        [reach, field](Message* root) {
          Message* parent = reach(root);
          const auto& reflection = *parent->GetReflection();
          Message* nested = field->is_repeated()
                                ? reflection.AddMessage(parent, field)
                                : reflection.MutableMessage(parent, field);
          FillWithin(nested);
          return nested;
        },
        violations);
  }
}

}  // namespace

std::vector<const google::protobuf::MethodDescriptor*> ServiceMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const auto* file : {v1::GetGraphRequest::descriptor()->file(),
                           v1::GetJobRequest::descriptor()->file(),
                           v1::HeartbeatRequest::descriptor()->file(),
                           v1::GetPlanRequest::descriptor()->file(),
                           v1::GetTrainingRequest::descriptor()->file()}) {
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back(file->service(i)->method(j));
      }
    }
  }
  return methods;
}

std::unique_ptr<Message> RequestWithin(const Descriptor& type) {
  std::unique_ptr<Message> request(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(&type)
          ->New());
  FillWithin(request.get());
  return request;
}

std::vector<Violation> ViolationsOf(const Descriptor& type) {
  std::vector<Violation> violations;
  AddViolations(
      type, type, "", [](Message* request) { return request; }, &violations);
  return violations;
}

}  // namespace stowage
