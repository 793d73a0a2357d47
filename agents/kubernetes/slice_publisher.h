// Keeps the ResourceSlice of this node as it should be, from a thread of its own.
//
//   SlicePublisher publisher(&api, "node1", memory);
//   if (!publisher.is_published()) std::cerr << "the scheduler knows nothing yet";
#ifndef STOWAGE_AGENTS_KUBERNETES_SLICE_PUBLISHER_H_
#define STOWAGE_AGENTS_KUBERNETES_SLICE_PUBLISHER_H_

#include <atomic>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/kubernetes/api_server.h"
#include "agents/kubernetes/node_memory.h"
#include "nlohmann/json.hpp"
#include "timing/bell.h"

namespace stowage::agent {

// Thread-safe. The slice stays when this is destroyed: the kubelet removes those
// of drivers that do not come back, and the Node object owns it.
class SlicePublisher {
 public:
  // `api` must outlive it.
  SlicePublisher(const ApiServer* api, std::string node, NodeMemory memory);
  // Blocks for a call that is under way.
  ~SlicePublisher();

  // Returns whether the slice was right when it was last looked at.
  bool is_published() const { return is_published_; }

 private:
  void Run();
  // Looks at the slices, and makes right what is not. Returns the version of the
  // list from which to wait for changes.
  absl::StatusOr<std::string> Reconcile();
  absl::StatusOr<std::string> NodeUid() const;
  absl::StatusOr<nlohmann::json> Write(const nlohmann::json& stored,
                                       const std::string& node_uid);
  bool IsRight(const nlohmann::json& stored,
               const nlohmann::json& wanted) const;
  void NoteWhatIsKept(const nlohmann::json& wanted, const nlohmann::json& kept);
  void NoteFailure(const absl::Status& why);

  const ApiServer* const api_;
  const std::string node_;
  const NodeMemory memory_;
  const std::string list_path_;
  Bell stop_;
  std::atomic<bool> is_published_ = false;
  bool lacks_sharing_ = false;  // the cluster, as it answered a write
  std::string last_failure_;    // that has a log line
  std::thread thread_;          // last: it uses the others
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_SLICE_PUBLISHER_H_
