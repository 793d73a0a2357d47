#include "server/runtime/reflection.h"

#include <memory>
#include <vector>

#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/impl/server_builder_plugin.h"

namespace stowage {
namespace {

class NoReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments* /*arguments*/) override {}

  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                         plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) {
      return dynamic_cast<grpc::reflection::ProtoServerReflectionPlugin*>(
                 plugin.get()) != nullptr;
    });
  }
};

}  // namespace

void DisableReflection(grpc::ServerBuilder* builder) {
  builder->SetOption(std::make_unique<NoReflection>());
}

}  // namespace stowage
