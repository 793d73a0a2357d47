"""docs/deeptm-figures.md: what stands around the figures' sections."""

import os

import page
from measurements import machine
from workload import MODELS

HEAD = """# DeepTM's figures beside ours

This page has every number that the text of section VI of "DeepTM: Efficient Tensor Management in
Heterogeneous Memory for DNN Training" (IEEE TPDS 2024) gives, beside what this project gets. The
pictures in the paper have no numbers. [DeepTM's page](policies-deeptm.md) says how it is built here
and where it deviates. [The suite's page](suite-papers.md) says what planners alone reproduce of this
and of the other papers.

This command writes the page:

```sh
{command}
```

on {machine}; the load was {load:.1f} when it ended, of
which {jobs} its own.

* **Models:** {models}.
* **Simulated, except figures 15 and 18.** Step times are what the simulator predicts for plans that
  the verifier accepted. Training time, memory and migration bandwidth are measured.
* **Graphs** are captures of two small batches (`tools/stowage/suites/README.md`), scaled to the paper's batch
  (`stowage graph scale --without-workspaces`) and rehosted to the processor of the memory system. The
  paper's peaks at batch 512 (its table I) are smaller than those of these graphs, and it does not say why:
  VGG-19's by 1.3 times, AlexNet's by 1.7, MobileNet's by 13, ResNet-152's by 23 and Inception's by 37.
  Ratios are of our peaks.
* **`optane`** is the paper's testbed. **`gpu-pcie`** stands for its GPU and is another thing: there the
  fast memory is the GPU's own. In the paper the GPU reads from DRAM and Optane, and DRAM is the fast
  memory.
* **beta** is 1 where time alone is compared (figures 4, 14, 15, 17).
* **The paper contradicts itself** in places. The abstract has DeepTM up to 36 % above AutoTM and 49 % above
  Sentinel; section VI-B and the conclusion have it the other way round, which is used here. Table II ends
  training at 200 episodes; figure 13 needs over 300. VI-D has the price of beta = 0.25 both 5.7 % above
  and 24.2 % below that of 1:4.

A claim is *reproduced* if ours reaches what the paper's text says (for a range over models: all of ours
gain, and on average at least the least there), of the *same direction, smaller* if it gains on average,
and *not reproduced* otherwise.
"""

MISSING = """**Not complete:** {count} steps were not run or failed ({names}{more}); the command above goes on
where it ended.
"""

WHY = """## Where it falls short, and why

* **Planners that know the whole step.** `annealed-search`, `belady` and Sentinel, where figure 14 has them
  above the DQN, know when each tensor is used next and schedule each copy along the whole step. The DQN
  decides kernel by kernel and migrates within one kernel's window (eq. 5).
* **Gains of the paper's size** over Sentinel and AutoTM need room above them. The last rows of figure
  14's claims say how much there is: everything fast over Sentinel.
* **Price.** Decisions are made at kernels that are short of fast memory (IV-C, time-steps). All others use
  what there is, and the price of figure 16 is that of the peak, so a small beta can save little below the
  limit.
* **Overhead.** The ILP is not solved to the end where figure 15 says "at least". DeepTM's memory is
  mostly LibTorch's, and 200 episodes take long beside a solver that is done in seconds.
* **The GPU scenario** is not the paper's, as said above.
"""


def write(path, sections, unfinished, arguments):
    command = " ".join(["python3 tests/bench/deeptm/figures", *arguments.words])
    models = ", ".join(MODELS[model] for model in arguments.models)
    if len(arguments.models) < len(MODELS):
        models += f" of the paper's {len(MODELS)}; claims are judged on these alone"
    parts = [HEAD.format(command=command, models=models, machine=machine(),
                         load=os.getloadavg()[0], jobs=arguments.jobs)]
    if unfinished:
        parts.append(MISSING.format(count=len(unfinished), names=", ".join(unfinished[:8]),
                                    more=" and others" if len(unfinished) > 8 else ""))
    parts.append(_verdicts(sections))
    parts += [section.text("pictures") for section in sections]
    parts.append(WHY)
    path.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
    for section in sections:
        if section.draw:
            (path.parent / "pictures").mkdir(exist_ok=True)
            section.draw(path.parent / "pictures" / section.picture)


def _verdicts(sections):
    lines = []
    for section in sections:
        verdicts = [claim.verdict for claim in section.claims if claim.verdict != "–"]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        lines.append((section.title, ", ".join(f"{count} {verdict}"
                                               for verdict, count in counts.items()) or "–"))
    return "## All claims\n\n" + page.table(("figure", "claims"), lines)
