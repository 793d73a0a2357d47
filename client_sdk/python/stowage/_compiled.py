"""Makes every kernel that torch.compile makes a kernel of the step.

Inductor's C++ kernels take the addresses of their operands, so neither the dispatcher
nor the hook sees them. Its wrapper code gets each kernel from
`AsyncCompile.cpp_pybinding`, with the types of the arguments: a `const` pointer is
read, any other pointer is written and may be read. The function that comes back is
put between two calls that tell the plug-in. Buffers, which the wrapper code
allocates beside the dispatcher, are allocated through it.

The first kernels of a forward pass may be PyTorch's own, and a script may compile its
whole step, so that no backward pass is seen. So the plug-in is told of each graph that
is called: whether it was compiled together with a backward pass, and whether it is
given what it returned before.

docs/pytorch.md says why this seam was chosen. Nothing is imported before the script
compiles something.
"""

import sys
import weakref

import torch

from stowage import _frames, _modules

_COMPILER = "torch._inductor.async_compile"
_watched = set()


class _Kernel:
    """A compiled kernel between its two announcements."""

    def __init__(self, argument_types, kernel):
        pointers = [(i, t) for i, t in enumerate(argument_types) if "*" in t]
        self.name = "inductor::kernel"
        self._reads = [i for i, t in pointers if t.startswith("const ")]
        self._writes = [i for i, t in pointers if not t.startswith("const ")]
        self._kernel = kernel

    @_frames.hidden
    def __call__(self, *arguments):
        torch.ops.stowage.begin_compiled_kernel(
            self.name, [arguments[i] for i in self._reads],
            [arguments[i] for i in self._writes])
        try:
            return self._kernel(*arguments)
        finally:
            torch.ops.stowage.end_compiled_kernel()


@_frames.hidden
def _empty_strided(size, stride, dtype):
    return torch.empty_strided(size, stride, dtype=dtype)


def _name_kernels(scope):
    for name, value in scope.items():
        if isinstance(value, _Kernel):
            value.name = "inductor::" + name


def _refusal(what):
    """Returns a function that refuses kernels whose operands nobody announces."""
    def refuse(*unused_arguments, **unused_options):
        raise RuntimeError(
            "stowage: " + what + ", so that nobody can bring their operands to fast memory; "
            "compile with the C++ backend of Inductor, without cpp_wrapper")
    return refuse


_refuse_wrapper = _refusal("the kernels of torch.compile with cpp_wrapper call each other")
_refuse_package = _refusal("the kernels of a model that was compiled ahead of time (AOTInductor) "
                           "call each other")


def _refuse_on_cpu(compiler, backend, is_for_cpu):
    """Lets a backend of Inductor make kernels for other devices alone."""
    make = getattr(compiler.AsyncCompile, backend, None)
    if make is None:
        return

    def make_or_refuse(self, *arguments, **options):
        if is_for_cpu(*arguments, **options):
            _refusal("Inductor's backend '" + backend + "' calls its kernels by itself")()
        return make(self, *arguments, **options)

    setattr(compiler.AsyncCompile, backend, make_or_refuse)


def _announcing(call):
    """Puts the announcement of a graph in front of its call."""
    results = {}  # by graph; a graph that dies leaves its references behind

    @_frames.hidden
    def announced(self, inputs):
        kind = self.fx_kwargs
        records = not (kind.get("is_inference") or kind.get("is_backward"))
        given = {id(value) for value in inputs if isinstance(value, torch.Tensor)}
        own = any(id(result()) in given for result in results.get(id(self), ()))
        torch.ops.stowage.note_compiled_graph(records, own)
        outputs = call(self, inputs)
        results[id(self)] = [weakref.ref(value) for value in outputs
                             if isinstance(value, torch.Tensor)]
        return outputs

    return announced


def _watch_graphs():
    graph = sys.modules["torch._inductor.output_code"].CompiledFxGraph
    if graph not in _watched:
        _watched.add(graph)
        graph.__call__ = _announcing(graph.__call__)


def _patch(compiler):
    """Puts the announcements into Inductor's module that loads kernels."""
    make, wait = compiler.AsyncCompile.cpp_pybinding, compiler.AsyncCompile.wait

    def cpp_pybinding(self, argtypes, source_code):
        loaded = make(self, argtypes, source_code)
        if isinstance(loaded, compiler.CodeCacheFuture):
            return compiler.LambdaFuture(lambda: _Kernel(argtypes, loaded.result()))
        return _Kernel(argtypes, loaded)

    def wait_and_name(self, scope):
        wait(self, scope)
        _watch_graphs()
        _name_kernels(scope)

    compiler.AsyncCompile.cpp_pybinding = cpp_pybinding
    compiler.AsyncCompile.wait = wait_and_name
    torch._C._dynamo.guards._empty_strided_cpu = _empty_strided
    cache = sys.modules["torch._inductor.codecache"].CppWrapperCodeCache
    cache.load_pybinding_async = _refuse_wrapper
    # With the names that Inductor gives its arguments, which generated code uses.
    _refuse_on_cpu(compiler, "triton",
                   lambda kernel_name, source_code, device_str="cuda": device_str == "cpu")
    _refuse_on_cpu(compiler, "halide", lambda meta, source_code: "cuda" not in meta.target)
    _refuse_on_cpu(compiler, "pallas",
                   lambda kernel_name, source_code: not torch.cuda.is_available())


def install():
    if not hasattr(torch, "compile"):
        return
    ahead_of_time = getattr(torch._C, "_aoti", None)
    for runner in ("AOTIModelPackageLoader", "AOTIModelContainerRunnerCpu"):
        if hasattr(ahead_of_time, runner):
            getattr(ahead_of_time, runner).__init__ = _refuse_package
    _modules.when_loaded(_COMPILER, _patch)
