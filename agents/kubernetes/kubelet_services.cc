#include "agents/kubernetes/kubelet_services.h"

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/kubernetes/cdi_spec.h"
#include "agents/kubernetes/claim_grant.h"
#include "agents/kubernetes/names.h"
#include "daemon/log.h"
#include "kubernetes/dra_v1.grpc.pb.h"
#include "kubernetes/dra_v1beta1.grpc.pb.h"
#include "kubernetes/registration.grpc.pb.h"

namespace stowage::agent {
namespace {

namespace dra = k8s::io::kubelet::pkg::apis::dra;

template <typename Claim>
ClaimRef RefOf(const Claim& claim) {
  return {.namespace_name = claim.namespace_(),
          .name = claim.name(),
          .uid = claim.uid()};
}

void SetShare(const GrantedDevice& granted, dra::v1::Device* device) {
  if (!granted.share_id.empty()) device->set_share_id(granted.share_id);
}

void SetShare(const GrantedDevice&, dra::v1beta1::Device*) {}

// The kubelet gives a container the runtime's devices of all requests that it
// names, each time that one is listed. So the claim's is listed once, and for
// all requests.
template <typename Response>
void FillIn(const ClaimGrant& grant, Response* response) {
  for (const GrantedDevice& granted : grant.devices) {
    auto* device = response->add_devices();
    device->set_pool_name(granted.pool);
    device->set_device_name(granted.device);
    SetShare(granted, device);
  }
  response->mutable_devices(0)->add_cdi_device_ids(
      CdiDeviceOf(grant.claim.uid));
}

// One version of the interface; `Api` names its messages.
template <typename Api>
class DraService : public Api::Service {
 public:
  explicit DraService(PreparedClaims* claims) : claims_(claims) {}

  grpc::Status NodePrepareResources(
      grpc::ServerContext* context, const typename Api::PrepareRequest* request,
      typename Api::PrepareResponse* response) override {
    for (const auto& claim : request->claims()) {
      auto& answer = (*response->mutable_claims())[claim.uid()];
      const absl::StatusOr<ClaimGrant> grant = claims_->Prepare(
          RefOf(claim), [context] { return context->IsCancelled(); });
      if (grant.ok()) {
        FillIn(*grant, &answer);
      } else {
        answer.set_error(std::string(grant.status().message()));
      }
    }
    return grpc::Status::OK;
  }

  grpc::Status NodeUnprepareResources(
      grpc::ServerContext*, const typename Api::UnprepareRequest* request,
      typename Api::UnprepareResponse* response) override {
    for (const auto& claim : request->claims()) {
      auto& answer = (*response->mutable_claims())[claim.uid()];
      const absl::Status gone = claims_->Unprepare(RefOf(claim));
      if (!gone.ok()) answer.set_error(std::string(gone.message()));
    }
    return grpc::Status::OK;
  }

 private:
  PreparedClaims* const claims_;
};

struct V1 {
  using Service = dra::v1::DRAPlugin::Service;
  using PrepareRequest = dra::v1::NodePrepareResourcesRequest;
  using PrepareResponse = dra::v1::NodePrepareResourcesResponse;
  using UnprepareRequest = dra::v1::NodeUnprepareResourcesRequest;
  using UnprepareResponse = dra::v1::NodeUnprepareResourcesResponse;
};

struct V1Beta1 {
  using Service = dra::v1beta1::DRAPlugin::Service;
  using PrepareRequest = dra::v1beta1::NodePrepareResourcesRequest;
  using PrepareResponse = dra::v1beta1::NodePrepareResourcesResponse;
  using UnprepareRequest = dra::v1beta1::NodeUnprepareResourcesRequest;
  using UnprepareResponse = dra::v1beta1::NodeUnprepareResourcesResponse;
};

}  // namespace

class KubeletServices::Registration
    : public pluginregistration::Registration::Service {
 public:
  explicit Registration(std::string dra_socket)
      : dra_socket_(std::move(dra_socket)) {}

  bool is_registered() const { return is_registered_; }

  grpc::Status GetInfo(grpc::ServerContext*,
                       const pluginregistration::InfoRequest*,
                       pluginregistration::PluginInfo* info) override {
    info->set_type("DRAPlugin");
    info->set_name(kDriverName);
    info->set_endpoint(dra_socket_);
    info->add_supported_versions("v1.DRAPlugin");
    info->add_supported_versions("v1beta1.DRAPlugin");
    return grpc::Status::OK;
  }

  grpc::Status NotifyRegistrationStatus(
      grpc::ServerContext*,
      const pluginregistration::RegistrationStatus* status,
      pluginregistration::RegistrationStatusResponse*) override {
    is_registered_ = status->plugin_registered();
    if (status->plugin_registered()) {
      Log(LogLevel::kInfo, "the kubelet knows the driver");
    } else {
      Log(LogLevel::kError, "the kubelet refuses the driver",
          {{"error", status->error()}});
    }
    return grpc::Status::OK;
  }

 private:
  const std::string dra_socket_;
  std::atomic<bool> is_registered_ = false;
};

KubeletServices::KubeletServices(PreparedClaims* claims, std::string dra_socket)
    : registration_(std::make_unique<Registration>(std::move(dra_socket))) {
  services_.push_back(std::make_unique<DraService<V1>>(claims));
  services_.push_back(std::make_unique<DraService<V1Beta1>>(claims));
}

KubeletServices::~KubeletServices() = default;

void KubeletServices::AddTo(grpc::ServerBuilder* builder) const {
  builder->RegisterService(registration_.get());
  for (const auto& service : services_) builder->RegisterService(service.get());
}

bool KubeletServices::is_registered() const {
  return registration_->is_registered();
}

}  // namespace stowage::agent
