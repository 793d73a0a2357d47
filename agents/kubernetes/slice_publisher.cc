#include "agents/kubernetes/slice_publisher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/claims/json_text.h"
#include "agents/kubernetes/names.h"
#include "agents/kubernetes/resource_slice.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

constexpr char kSlices[] = "/apis/resource.k8s.io/v1/resourceslices";
constexpr absl::Duration kFirstRetry = absl::Seconds(1);
constexpr absl::Duration kLastRetry = absl::Seconds(60);
// Several changes at once are looked at once.
constexpr absl::Duration kSettle = absl::Milliseconds(200);

std::string ListPath(const std::string& node) {
  return absl::StrCat(kSlices, "?fieldSelector=",
                      Escaped(absl::StrCat("spec.driver=", kDriverName,
                                           ",spec.nodeName=", node)));
}

std::string PathOf(const nlohmann::json& slice) {
  return absl::StrCat(kSlices, "/", Escaped(TextAt(slice, "/metadata/name")));
}

}  // namespace

SlicePublisher::SlicePublisher(const ApiServer* api, std::string node,
                               NodeMemory memory)
    : api_(api),
      node_(std::move(node)),
      memory_(std::move(memory)),
      list_path_(ListPath(node_)),
      thread_([this] { Run(); }) {}

SlicePublisher::~SlicePublisher() {
  stop_.Ring();
  thread_.join();
}

void SlicePublisher::Run() {
  absl::Duration retry = kFirstRetry;
  while (!stop_.HasRung()) {
    absl::StatusOr<std::string> version = Reconcile();
    is_published_ = version.ok();
    absl::Status status = version.status();
    if (status.ok()) {
      retry = kFirstRetry;
      last_failure_.clear();
      status = api_->AwaitChange(list_path_, *version, stop_);
    }
    if (status.ok()) {
      stop_.AwaitFor(kSettle);
      continue;
    }
    NoteFailure(status);
    stop_.AwaitFor(retry);
    retry = std::min(2 * retry, kLastRetry);
  }
}

void SlicePublisher::NoteFailure(const absl::Status& why) {
  if (last_failure_ == why.message()) return;
  last_failure_ = std::string(why.message());
  Log(LogLevel::kWarning,
      "cannot tell the scheduler of this node's memory; trying again",
      {{"node", node_}, {"error", last_failure_}});
}

absl::StatusOr<std::string> SlicePublisher::NodeUid() const {
  const absl::StatusOr<nlohmann::json> node =
      api_->Get(absl::StrCat("/api/v1/nodes/", Escaped(node_)));
  if (absl::IsNotFound(node.status())) {
    return absl::NotFoundError(
        absl::StrCat("the cluster has no Node '", node_,
                     "'; start the agent with --node as it is called there"));
  }
  if (!node.ok()) return node.status();
  return TextAt(*node, "/metadata/uid");
}

absl::StatusOr<std::string> SlicePublisher::Reconcile() {
  const absl::StatusOr<std::string> node_uid = NodeUid();
  if (!node_uid.ok()) return node_uid.status();
  const absl::StatusOr<nlohmann::json> list = api_->Get(list_path_);
  if (absl::IsNotFound(list.status())) {
    return absl::UnimplementedError(
        "the cluster does not serve resource.k8s.io/v1; it takes Kubernetes "
        "1.34 or later");
  }
  if (!list.ok()) return list.status();
  nlohmann::json own;
  for (const nlohmann::json& slice : ListAt(*list, "/items")) {
    if (own.is_null() && TextAt(slice, "/spec/pool/name") == node_) {
      own = slice;
      continue;
    }
    const absl::Status gone = api_->Delete(PathOf(slice));
    if (!gone.ok() && !absl::IsNotFound(gone)) return gone;
  }
  const SliceOwner owner{.node = node_, .node_uid = *node_uid};
  if (!own.is_null() && IsRight(own, SliceOf(memory_, owner, 1))) {
    return TextAt(*list, "/metadata/resourceVersion");
  }
  const absl::StatusOr<nlohmann::json> kept = Write(own, *node_uid);
  if (!kept.ok()) return kept.status();
  return TextAt(*kept, "/metadata/resourceVersion");
}

bool SlicePublisher::IsRight(const nlohmann::json& stored,
                             const nlohmann::json& wanted) const {
  if (TellsTheSame(stored, wanted)) return true;
  return lacks_sharing_ && TellsTheSame(stored, WithoutSharing(wanted));
}

// Makes the slice, or replaces the one that is stored.
absl::StatusOr<nlohmann::json> SlicePublisher::Write(
    const nlohmann::json& stored, const std::string& node_uid) {
  const int64_t generation = NumberAt(stored, "/spec/pool/generation") + 1;
  nlohmann::json slice =
      SliceOf(memory_, {.node = node_, .node_uid = node_uid}, generation);
  absl::StatusOr<nlohmann::json> kept;
  if (stored.is_null()) {
    kept = api_->Post(kSlices, slice);
  } else {
    slice["metadata"]["name"] = TextAt(stored, "/metadata/name");
    slice["metadata"]["resourceVersion"] =
        TextAt(stored, "/metadata/resourceVersion");
    kept = api_->Put(PathOf(stored), slice);
  }
  if (kept.ok()) NoteWhatIsKept(slice, *kept);
  return kept;
}

void SlicePublisher::NoteWhatIsKept(const nlohmann::json& wanted,
                                    const nlohmann::json& kept) {
  Log(LogLevel::kInfo, "the scheduler knows of this node's memory",
      {{"slice", TextAt(kept, "/metadata/name")},
       {"fast_bytes", memory_.fast.bytes},
       {"slow_bytes", memory_.slow.bytes}});
  lacks_sharing_ =
      !TellsTheSame(wanted, kept) && TellsTheSame(WithoutSharing(wanted), kept);
  if (!lacks_sharing_) return;
  Log(LogLevel::kWarning,
      "the cluster has dropped allowMultipleAllocations from the node's "
      "devices, so that one claim takes all memory of a node; turn on the "
      "feature gate DRAConsumableCapacity of its API server and scheduler "
      "(on by default since Kubernetes 1.36), then start the agent again");
}

}  // namespace stowage::agent
