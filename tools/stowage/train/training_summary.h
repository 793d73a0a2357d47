// Says what a training has reached: its plan beside those of simple policies.
//
//   absl::StatusOr<TrainingSummary> summary =
//       SummarizeTraining(job, result, seconds);
//   std::cout << SummaryToText(*summary);
#ifndef STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_SUMMARY_H_
#define STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "server/training/training_job.h"
#include "tools/stowage/compare/evaluation.h"
#include "tools/stowage/train/training_run.h"

namespace stowage::cli {

// The evaluation of one policy, which may be an error.
struct SummaryRow {
  std::string policy;
  absl::StatusOr<Evaluation> evaluation;
};

struct TrainingSummary {
  std::string graph;
  policies::DqnPolicy policy;
  double seconds = 0;
  std::string verdict;
  std::vector<v1::Episode> episodes;
  std::vector<SummaryRow> rows;  // deeptm first
  int64_t all_fast_ns = 0;
  std::string durations;  // "measured", "rehosted" or "derived"
  std::string processor;  // of the system; empty: unknown
};

// Makes, verifies and simulates the plans. Returns the error of the trained
// policy's own plan, which is then of no use.
absl::StatusOr<TrainingSummary> SummarizeTraining(const TrainingJob& job,
                                                  const TrainingResult& result,
                                                  double seconds);

nlohmann::json SummaryToJson(const TrainingSummary& summary);
std::string SummaryToText(const TrainingSummary& summary);

// Returns what plot_training.py draws.
nlohmann::json TrainingPictureToJson(const TrainingSummary& summary);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_SUMMARY_H_
