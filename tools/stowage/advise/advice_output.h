// Shows advice: as a table for people, as JSON, and as a picture.
//
//   std::cout << AdviceToText(advice);
//   absl::Status drawn = DrawAdvice(advice, *installation, "advice.svg");
#ifndef STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_OUTPUT_H_
#define STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_OUTPUT_H_

#include <string>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/advise/advice.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

std::string AdviceToText(const Advice& advice);
nlohmann::json AdviceToJson(const Advice& advice);

// Draws the step time over the limit, with what no plan beats, the knee and the
// goals. Blocks. Errors are those of DrawWithPython().
absl::Status DrawAdvice(const Advice& advice, const Installation& installation,
                        const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_OUTPUT_H_
