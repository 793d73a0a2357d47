"""Holds the paper's models and batches as graphs of ours, and the steps that use them.

    workload = Workload(binary_dir, folder, episodes=0)   # 0: as many as by default
    step = workload.train(Case("vgg19", 512, "optane", 0.2), beta=1, seed=1)

Every function returns the step; nothing runs here.
"""

import dataclasses
import pathlib
import sys

from steps import Step

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[4]
CAPTURES = SOURCE_DIR / "tools/stowage/suites/graphs"
CAPTURED_BATCHES = (6, 8)

# In the order of time a training takes. The paper's Inception is v4 (figure 13).
MODELS = {"alexnet": "AlexNet", "vgg19": "VGG-19", "mobilenet_v2": "MobileNet v2",
          "inception_v4": "Inception v4", "resnet152": "ResNet-152"}

# Fast to slow memory as the paper writes it, as a share of the peak.
RATIOS = {"1:8": 1 / 9, "1:4": 1 / 5, "1:2": 1 / 3}


@dataclasses.dataclass(frozen=True)
class Case:
    """A graph on a memory system with a share of its peak as fast memory."""
    model: str
    batch: int
    system: str
    ratio: float

    @property
    def graph(self):
        return f"{self.model}-b{self.batch}"

    @property
    def name(self):
        return f"{self.graph}-{self.system}-{self.ratio:.3f}"


class Workload:
    """Steps of one run: which programs, and where their files are."""

    def __init__(self, binary_dir, folder, episodes=0):
        self._episodes = episodes
        self.stowage = binary_dir / "bin/stowage"
        self.trainer = binary_dir / "bin/stowage-trainer"
        self.characteristics = binary_dir / "bin/deeptm_characteristics"
        self.migrate = binary_dir / "bin/migrate_small_tensors"
        self._folder = folder
        for program in (self.stowage, self.trainer, self.characteristics, self.migrate):
            if not program.exists():
                sys.exit(f"{program} is missing; build it: "
                         f"cmake --build {binary_dir} --target {program.name}")
        for name in ("graphs", "policies"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def graph_path(self, model, batch):
        return self._folder / f"graphs/{model}-b{batch}.pb.gz"

    def scale(self, model, batch):
        """Returns the step of the paper's batch, without scratch of libraries."""
        small, larger = (CAPTURES / f"{model}-b{b}.pb.gz" for b in CAPTURED_BATCHES)
        path = self.graph_path(model, batch)
        return Step(f"graph-{model}-b{batch}",
                    (self.stowage, "graph", "scale", small, larger, "--batches",
                     ",".join(map(str, CAPTURED_BATCHES)), "--to", str(batch),
                     "--without-workspaces", "-o", path), produces=path)

    def show(self, model, batch):
        return Step(f"show-{model}-b{batch}",
                    (self.stowage, "graph", "show", self.graph_path(model, batch),
                     "--format", "json"), (self.scale(model, batch),))

    def train(self, case, beta, seed, synchronous=False):
        mode = "sync" if synchronous else "async"
        name = f"train-{case.name}-{mode}-beta{beta:g}-seed{seed}"
        path = self._folder / f"policies/{name}.dqn"
        command = (self.stowage, "train", self.graph_path(case.model, case.batch), "--system",
                   case.system, "--fast-ratio", f"{case.ratio:.6f}", "--beta", f"{beta:g}",
                   "--seed", str(seed), "--format", "json", "-o", path)
        if synchronous:
            command += ("--synchronous",)
        if self._episodes:
            command += ("--episodes", str(self._episodes))
        return Step(name, command, (self.scale(case.model, case.batch),), path, (self.trainer,))

    def compare(self, case, policies, ratios=None, time_limit=0, label=""):
        """Returns the step that plans with policies that need no training."""
        return Step(f"compare-{case.name}-{label or policies.replace(',', '-')}",
                    self._comparison(case, ratios) + ("--policies", policies, "--time-limit",
                                                      f"{time_limit:g}"),
                    (self.scale(case.model, case.batch),))

    def apply(self, case, training, ratios=None):
        """Returns the step that plans with a trained policy."""
        return Step(f"apply-{training.name}" + ("-grid" if ratios else ""),
                    self._comparison(case, ratios) + ("--policies", "deeptm", "--dqn",
                                                      training.produces), (training,))

    def _comparison(self, case, ratios):
        return (self.stowage, "compare", self.graph_path(case.model, case.batch), "--system",
                case.system, "--fast-ratio",
                ",".join(f"{ratio:.6f}" for ratio in ratios or (case.ratio,)),
                "--no-lower-bound", "--format", "json")
