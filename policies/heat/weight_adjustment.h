// Runs DeepTM's Algorithm 1: the weights of heat follow the pressure on fast
// memory.
//
//   WeightAdjustment adjusted =
//       AdjustWeights(living, bytes, fast_limit_bytes, weights);
//   weights = adjusted.weights;    // W of the next kernel
//
// Pure.
#ifndef STOWAGE_POLICIES_HEAT_WEIGHT_ADJUSTMENT_H_
#define STOWAGE_POLICIES_HEAT_WEIGHT_ADJUSTMENT_H_

#include <cstdint>
#include <vector>

#include "policies/heat/heat.h"

namespace stowage::policies {

// Algorithm 1's constants.
inline constexpr double kHotThreshold = 0;    // T_h
inline constexpr double kTooHot = 1.1;        // of L_D
inline constexpr double kTooCold = 0.9;       // of L_D
inline constexpr double kHighPressure = 2.5;  // of L_D
inline constexpr double kWeightStep = 0.02;

// Weights stay within 1/1024 and 1024. Beyond, a weight dwarfs the others or
// does not matter. This bounds the loop, see kMaxAdjustments.
inline constexpr double kHighestWeight = 1024;
inline constexpr double kLowestWeight = 1 / kHighestWeight;

// The most steps of the loop: it changes one weight in one direction, and
// 1.02^701 and 0.98^-687 both exceed 1024^2.
inline constexpr int kMaxAdjustments = 701;

struct WeightAdjustment {
  HeatWeights weights;       // W^(k+1)
  std::vector<double> heat;  // H, parallel to the tensors
  int64_t hot_bytes = 0;     // S_h
  int adjustments = 0;       // iterations of the loop, <= kMaxAdjustments
};

// Adjusts the weights of one kernel until the hot tensors have 0.9 to 1.1 times
// the limit. `bytes` are the sizes of the living tensors, parallel to
// `normalised`, their characteristics.
//
// As printed, the loop need not end. Here it also ends when all living tensors
// together have no more than 0.9 times the limit, when a step leaps over the
// band from one side to the other (it would go to and fro), and when the weight
// reaches a bound. S_h is computed before the first step.
WeightAdjustment AdjustWeights(const std::vector<Characteristics>& normalised,
                               const std::vector<int64_t>& bytes,
                               int64_t fast_limit_bytes,
                               const HeatWeights& weights);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_WEIGHT_ADJUSTMENT_H_
