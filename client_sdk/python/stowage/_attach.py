"""Loads the plug-in and attaches this process to an agent."""

import os

import torch

from stowage import (_collectives, _compiled, _evaluation, _exposure, _extensions, _operators,
                     _optimizers, _private, _steps, _threads)
from stowage._plugin import attached

_PACKAGE_DIR = os.path.dirname(os.path.abspath(__file__))


def _find(kind, name):
    """Returns the path of a file of the installation.

    Looks beside the plug-in that $STOWAGE_PLUGIN names, in the build tree, and
    where packages install to.
    """
    plugin = os.environ.get("STOWAGE_PLUGIN", "")
    roots = [os.path.dirname(os.path.dirname(plugin))] if plugin else []
    roots += [os.path.join(_PACKAGE_DIR, "..", "..", "..", "build"),
              os.path.join(_PACKAGE_DIR, *[".."] * 4), "/usr/local", "/usr"]
    for root in roots:
        path = os.path.abspath(os.path.join(root, kind, name))
        if os.path.exists(path):
            return path
    raise RuntimeError("stowage: cannot find %s; set STOWAGE_PLUGIN to the path of "
                       "libstowage_torch.so" % name)


def _find_plugin():
    """Returns the path of the plug-in for the PyTorch that this process has imported.

    The preload library chooses in the same way (plugin_choice.h).
    """
    installed = _find("lib", "libstowage_torch.so")
    torch_dir = os.path.dirname(os.path.abspath(torch.__file__))
    c10 = os.path.realpath(os.path.join(torch_dir, "lib", "libc10.so"))
    if not os.path.exists(os.path.join(os.path.dirname(os.path.dirname(c10)), "version.py")):
        return installed  # the distribution's
    version = torch.__version__.split("+")[0]
    data = os.environ.get("XDG_DATA_HOME", "")
    for directory in (os.path.dirname(installed),
                      data if data.startswith("/") else os.path.expanduser("~/.local/share")):
        path = os.path.join(directory, "stowage", "torch-" + version, "libstowage_torch.so")
        if os.path.exists(path):
            return path
    raise RuntimeError("stowage: there is no plug-in for PyTorch %s yet; build it, in a "
                       "minute, with: stowage plugin build --torch %s" % (version, torch_dir))


def init(fast="", slow="", policy="", agent=""):
    """Attaches this process. Call it before the first tensor is made.

    fast: the limit on fast tensor memory: "900MiB", "40%" of the job's peak,
        "8GiB/host" for all ranks that torchrun starts here, or "auto" for the
        least that costs at most 5 %.
    slow: the slow tier: "file:DIR", "emulated:optane", ...
    policy: the policy that makes plans; empty: the service's default.
    agent: the path of the agent's socket; empty: $STOWAGE_AGENT, or a private
        agent and service.

    Raises RuntimeError, which says what to do.
    """
    if attached():
        return
    torch.ops.load_library(_find_plugin())
    agent = agent or os.environ.get("STOWAGE_AGENT", "")
    if not agent:
        agent = _private.PrivateServices(_find("bin", "stowage")).start()
    torch.ops.stowage.attach(
        agent, fast or os.environ.get("STOWAGE_FAST", ""),
        slow or os.environ.get("STOWAGE_SLOW", ""),
        policy or os.environ.get("STOWAGE_POLICY", ""),
        os.environ.get("STOWAGE_RUN_ID", ""))
    install()


def install():
    """Installs what an attached Python process needs besides the plug-in."""
    _collectives.install()
    _compiled.install()
    _evaluation.install()
    _exposure.install()
    _extensions.install()
    _operators.install()
    _optimizers.install()
    _threads.install()
    _steps.begin()


def end_step():
    """Ends a training step, for scripts without an optimizer of torch.optim.

    From now on only such calls end steps. Does nothing without Stowage.
    """
    if attached():
        torch.ops.stowage.end_step()
        _steps.poll()
