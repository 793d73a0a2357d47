// Chooses the plug-in that was built for the PyTorch of a process.
//
//   PluginChoice choice;
//   if (ChoosePlugin("/venv/lib/python3.11/site-packages/torch/lib/libc10.so",
//                    "/usr/lib/libstowage_torch.so", &choice)) {
//     dlopen(choice.path, RTLD_NOW);
//   }
//
// A PyTorch that pip has installed, or LibTorch from an archive, says its version
// in a file beside its libraries. Any other one came from the distribution, for
// which the plug-in is that of the installation. libc alone; no memory is
// allocated.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_PLUGIN_CHOICE_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_PLUGIN_CHOICE_H_

#include <limits.h>

namespace stowage::preload {

struct PluginChoice {
  char path[PATH_MAX];       // of the plug-in
  char torch_dir[PATH_MAX];  // where this PyTorch is; empty: the distribution's
  char version[64];          // "2.15.0"; empty: the distribution's
};

// Stores the choice for the PyTorch whose libc10 is at `c10_path`, and returns
// whether there is such a plug-in. `installed` is the installation's own. The
// others are looked for in stowage/torch-VERSION beside it and in
// $XDG_DATA_HOME/stowage/torch-VERSION, where `stowage plugin build` puts them.
bool ChoosePlugin(const char* c10_path, const char* installed,
                  PluginChoice* choice);

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_PLUGIN_CHOICE_H_
