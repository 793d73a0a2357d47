#include "agents/kubernetes/kubernetes_driver.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agents/kubernetes/names.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

constexpr absl::Duration kGrace = absl::Seconds(1);

std::string PluginDir(const KubernetesOptions& options) {
  return absl::StrCat(options.kubelet_dir, "/plugins/", kDriverName);
}

std::string DraSocket(const KubernetesOptions& options) {
  return absl::StrCat(PluginDir(options), "/dra.sock");
}

std::string RegistryDir(const KubernetesOptions& options) {
  return absl::StrCat(options.kubelet_dir, "/plugins_registry");
}

std::string RegistrationSocket(const KubernetesOptions& options) {
  return absl::StrCat(RegistryDir(options), "/", kDriverName, "-reg.sock");
}

// Programs are in PREFIX/bin, and what containers need is below PREFIX.
std::string InstallationOf(const std::string& program) {
  return std::filesystem::path(program).parent_path().parent_path();
}

KubernetesOptions Completed(KubernetesOptions options) {
  if (options.sdk_dir.empty()) {
    std::error_code error;
    options.sdk_dir =
        InstallationOf(std::filesystem::read_symlink("/proc/self/exe", error));
  }
  return options;
}

ClaimPlaces PlacesOf(const KubernetesOptions& options) {
  return {.state_dir = options.state_dir,
          .cdi_dir = options.cdi_dir,
          .sdk_dir = options.sdk_dir,
          .node = options.node};
}

std::string ClaimPath(const ClaimRef& ref) {
  return absl::StrCat("/apis/resource.k8s.io/v1/namespaces/",
                      Escaped(ref.namespace_name), "/resourceclaims/",
                      Escaped(ref.name));
}

absl::StatusOr<nlohmann::json> Fetch(const ApiServer& api,
                                     const ClaimRef& ref) {
  absl::StatusOr<nlohmann::json> claim = api.Get(ClaimPath(ref));
  if (!absl::IsNotFound(claim.status())) return claim;
  return absl::NotFoundError(
      absl::StrCat(NameOf(ref), " is not there any more; make the pod again"));
}

void WarnWithoutLibraries(const std::string& sdk_dir) {
  const std::string library = sdk_dir + "/lib/libstowage_preload.so";
  if (access(library.c_str(), R_OK) == 0) return;
  Log(LogLevel::kWarning,
      "the agent does not see the libraries of jobs; containers with claims "
      "start only if the host has them at --sdk-dir",
      {{"file", library}});
}

absl::Status CannotServe(const KubernetesOptions& options,
                         const std::string& why) {
  return absl::UnavailableError(absl::StrCat(
      "cannot serve the kubelet at '", DraSocket(options), "' and '",
      RegistrationSocket(options), "': ", why,
      "; name the kubelet's directory with --kubelet-dir, and let the agent's "
      "user write there"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<KubernetesDriver>> KubernetesDriver::Start(
    const KubernetesOptions& options, const NodeMemory& memory,
    const ClaimServing& serving) {
  ApiServerAddress api = options.api;
  if (api.url.empty()) {
    absl::StatusOr<ApiServerAddress> found = InClusterAddress();
    if (!found.ok()) return found.status();
    api.url = found->url;
    if (api.token_file.empty()) api.token_file = found->token_file;
    if (api.ca_file.empty()) api.ca_file = found->ca_file;
  }
  std::unique_ptr<KubernetesDriver> driver(new KubernetesDriver(
      Completed(options), std::move(api), memory, serving));
  WarnWithoutLibraries(driver->options_.sdk_dir);
  driver->claims_.Restore();
  if (absl::Status s = driver->Serve(); !s.ok()) return s;
  driver->publisher_ = std::make_unique<SlicePublisher>(
      &driver->api_, driver->options_.node, memory);
  return driver;
}

KubernetesDriver::KubernetesDriver(const KubernetesOptions& options,
                                   ApiServerAddress api,
                                   const NodeMemory& memory,
                                   const ClaimServing& serving)
    : options_(options),
      api_(std::move(api)),
      claims_(PlacesOf(options_), memory, serving,
              [this](const ClaimRef& ref) { return Fetch(api_, ref); }),
      services_(&claims_, DraSocket(options_)) {}

KubernetesDriver::~KubernetesDriver() { Stop(); }

absl::Status KubernetesDriver::Serve() {
  std::error_code error;
  std::filesystem::create_directories(PluginDir(options_), error);
  if (!error) {
    std::filesystem::create_directories(RegistryDir(options_), error);
  }
  if (error) return CannotServe(options_, error.message());
  grpc::ServerBuilder builder;
  for (const std::string& socket :
       {DraSocket(options_), RegistrationSocket(options_)}) {
    builder.AddListeningPort("unix:" + socket,
                             grpc::InsecureServerCredentials());
  }
  services_.AddTo(&builder);
  server_ = builder.BuildAndStart();
  if (server_ != nullptr) return absl::OkStatus();
  return CannotServe(options_, "the log of gRPC says why");
}

void KubernetesDriver::Stop() {
  if (server_ == nullptr) return;
  // The kubelet forgets the driver when this is gone.
  unlink(RegistrationSocket(options_).c_str());
  server_->Shutdown(absl::ToChronoTime(absl::Now() + kGrace));
  unlink(DraSocket(options_).c_str());
  server_.reset();
  claims_.Stop();
}

}  // namespace stowage::agent
