// Declares the names that the examples of policies/ use.
//
//   namespace stowage::policies::examples { extern Graph graph; }  // everywhere
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_H_

namespace stowage::policies::examples {

extern Graph graph;
extern MemorySystem system;
extern Plan plan;
extern PlanOptions options;
extern Workload workload;
extern BuildInput input;
extern std::vector<Residency> residencies;
extern Layers layers;
extern std::vector<int64_t> kernel_ns;
extern std::mt19937_64 random;

extern TensorIndex tensor, t;
extern KernelIndex kernel, k, boundary, begin, end;
extern int64_t bytes, size_bytes, limit_bytes, fast_limit_bytes, budget_bytes,
    arena_bytes, capacity_bytes, copy_ns;
extern int64_t seed;

namespace policies_annealed_search {
extern Rivals rivals;
extern std::unique_ptr<const Policy> learned_prices;
}  // namespace policies_annealed_search

namespace policies_aggregation {
extern std::vector<TensorResidencies> residencies;
extern std::vector<TensorGroup> pages;
extern std::vector<LayoutItem> items;
extern AccessIndex accesses;
void Use(TierIndex tier);
namespace route_h {
extern TensorResidencies residencies;
extern TensorIndex a;
}  // namespace route_h
}  // namespace policies_aggregation

namespace policies_bound {
extern BoundRelaxation relaxation;
extern KernelRoom room;
extern std::vector<KernelIndex> kernels;
extern double copy_ns, price, most_ns;
extern std::vector<double> least_ns, fast_ns;
extern int64_t step_time_ns;
extern std::vector<MomentPrices> lanes;
extern TensorLife life;
namespace life_prices_h {
extern int slice;
}  // namespace life_prices_h
namespace life_search_h {
extern BoundTimeline timeline;
extern LifePrices prices;
}  // namespace life_search_h
namespace passage_search_h {
extern std::vector<int> slice;
extern LifePrices prices;
}  // namespace passage_search_h
}  // namespace policies_bound

namespace policies_deeptm {
extern Environment environment;
extern HeatTable heat_table;
extern std::vector<bool> start;
extern Actor& actor;
extern MigrationMode mode;
extern HeatSettings heat;
}  // namespace policies_deeptm

namespace policies_deeptm_dqn {
extern Environment environment;
extern EpisodeOptions options;
extern EpisodeOutcome outcome;
extern std::vector<bool> start;
extern DqnPolicy policy;
extern DqnSettings settings;
extern UnitPrices prices;
extern QNetwork network;
extern NetworkShape shape;
extern ReplayBuffer buffer;
extern Transition transition;
extern std::mt19937_64 engine;
namespace q_network_h {
extern const StateVector* states;
extern ActionValues* values;
extern int count;
}  // namespace q_network_h
namespace dqn_planner_h {
extern std::shared_ptr<const DqnPolicy> trained;
extern PlanOptions options;
}  // namespace dqn_planner_h
namespace dqn_training_h {
extern PlanOptions options;
}
}  // namespace policies_deeptm_dqn

namespace policies_estimate {
extern PlanUnderLimit plan_under_limit;
extern MemorySystem system;
extern JobEstimate estimate;
extern CopySpeed there;
void Draw(const EstimatePoint& point);
void Print(int64_t limit_bytes);
}  // namespace policies_estimate

namespace policies_heat {
extern std::vector<Characteristics> living;
extern HeatWeights weights;
extern std::vector<int64_t> bytes, limits;
void Use(double heat);
}  // namespace policies_heat

namespace policies_intervals {
extern LayerIndex length;
extern Intervals intervals;
extern FastRoom room;
extern std::vector<bool> managed;
extern bool stage_all;
extern int interval;
extern int64_t wait_ns;
}  // namespace policies_intervals

namespace policies_layout {
extern Skyline skyline;
extern std::vector<LayoutItem> items;
extern std::vector<int> order;
extern std::vector<int64_t> bounds;
}  // namespace policies_layout

namespace policies_learned_prices {
extern Rivals rivals;
}

namespace policies_model {
extern std::string bytes;
extern v1::Graph proto;
void Use(int number);
namespace field_check_h {
extern int64_t gap_ns, kMostNs;
}
namespace groups_h {
extern int count;
extern std::vector<int> size;
}  // namespace groups_h
namespace kernel_cost_h {
extern Kernel kernel;
extern std::vector<TierIndex> tier_of;
}  // namespace kernel_cost_h
namespace memory_system_proto_h {
extern v1::MemorySystem proto;
}
namespace name_h {
extern v1::Graph graph;
}
}  // namespace policies_model

namespace policies_plan {
extern v1::Plan proto;
namespace moves_by_boundary_h {
extern KernelIndex b;
void Start(const Move& move);
}  // namespace moves_by_boundary_h
}  // namespace policies_plan

namespace policies_planning {
extern std::unique_ptr<Policy> belady;
void Fetch(TensorIndex tensor);
PlacementDecision decide(const Workload& workload, int64_t budget_bytes);
}  // namespace policies_planning

namespace policies_scaling {
extern Graph small, larger;
extern int64_t measured_ns;
extern Kernel kernel;
extern ProcessorPeak peak;
}  // namespace policies_scaling

namespace policies_search_absences {
extern CostModel costs;
extern AbsenceChoices choices;
extern std::vector<Choice> chosen;
extern std::vector<PlacedAbsence> absences;
extern LanePrices prices;
extern std::vector<Residency> misfits;
extern PlacedAbsence placed_absence;
extern std::vector<int64_t> allowed_bytes;
void Visit(int rank);
}  // namespace policies_search_absences

namespace policies_search_annealing {
extern std::vector<int64_t> allowed_bytes;
extern ResidencyJudge judge;
extern LostTime lost;
extern std::vector<KernelIndex> uses;
extern KernelIndex kernels;
extern ResidenciesByTensor residencies;
extern std::vector<Residency> before, after;
void Try(const ResidencyChange& change);
namespace step_crossing_h {
extern std::vector<Residency> residencies;
void Judge(const std::vector<Residency>& residencies);
}  // namespace step_crossing_h
}  // namespace policies_search_annealing

namespace policies_search_prices {
extern CostModel costs;
extern AbsenceChoices choices;
extern PriceNetwork network;
extern AbsenceFeatures features;
extern int absence;
extern std::vector<Choice> chosen;
extern MoveSchedule schedule;
extern Search search;
extern std::vector<float> weights;
extern double out_ns, in_ns;
extern std::string bytes;
}  // namespace policies_search_prices

namespace policies_search {
extern CostModel costs;
extern AbsenceChoices choices;
extern Rivals rivals;
namespace rivals_h {
extern Search search;
}
}  // namespace policies_search

namespace policies_sentinel {
extern std::vector<int64_t> sizes;
extern int64_t size;
extern bool stage_all;
extern absl::Time deadline;
}  // namespace policies_sentinel

namespace policies_simulate {
extern size_t first;
extern int64_t ready_ns, now_ns, duration_ns, out_free_ns, in_free_ns;
int64_t BytesOf(const Move& move);
}  // namespace policies_simulate

namespace policies_solver {
extern LinearProgram program;
void Use(const std::vector<double>& values, double gap);
}  // namespace policies_solver

namespace policies_swap {
extern StepFacts facts;
extern int64_t dram_bytes;
extern std::vector<int64_t> boundary_ns;
extern InactivePeriod period;
extern int64_t max_wait_ns;
extern std::set<TensorIndex> at_start;
extern KernelIndex leave, fetch;
}  // namespace policies_swap

namespace policies_verify {
extern int64_t offset;
}

}  // namespace stowage::policies::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_H_
