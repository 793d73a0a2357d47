"""Changes modules when they are loaded, without importing anything itself."""

import importlib.util
import sys


class _Finder:
    """Finds one module once, and has it changed when it has been loaded."""

    def __init__(self, name, change):
        self._name = name
        self._change = change

    def find_spec(self, name, path=None, target=None):
        del path, target
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_change(module):
            execute(module)
            self._change(module)

        spec.loader.exec_module = execute_and_change
        return spec


def when_loaded(name, change):
    """Calls change(module), now or when the module of that name has been loaded."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, change))
