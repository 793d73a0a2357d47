#include "agents/sharing/divide_fast.h"

#include <algorithm>

namespace stowage::agent {
namespace {

constexpr int64_t kPageBytes = 4096;
// Curves are predicted from single steps, so what they promise has to be more
// than the same step varies by. Equal jobs have equal parts.
constexpr int64_t kLeastGainPercent = 2;

int64_t WholePagesOf(int64_t bytes) { return bytes / kPageBytes * kPageBytes; }

// Returns `part` of `whole` parts of `bytes`, in whole pages.
int64_t ShareOf(int64_t bytes, int64_t part, int64_t whole) {
  if (whole <= 0) return 0;
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return WholePagesOf(static_cast<int64_t>(share * static_cast<double>(bytes)));
}

// What one claim may still be given.
struct Offer {
  size_t claim = 0;
  Gain gain;
};

// Returns what shortens steps, the dearest bytes first; nothing unless all who
// want more than `parts` say what it is worth.
std::vector<Offer> OffersFor(const std::vector<FastClaim>& claims,
                             const std::vector<int64_t>& parts) {
  std::vector<Offer> offers;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].want_bytes <= parts[i]) continue;
    if (claims[i].curve.empty()) return {};
    for (const Gain& gain :
         GainsOf(claims[i].curve, parts[i], claims[i].want_bytes)) {
      if (gain.ns_per_byte > 0) offers.push_back({i, gain});
    }
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offer& a, const Offer& b) {
                     return a.gain.ns_per_byte > b.gain.ns_per_byte;
                   });
  return offers;
}

// Adds to each part a share of `left_bytes` in proportion to what is wanted
// beyond it.
void ShareOut(int64_t left_bytes, const std::vector<FastClaim>& claims,
              std::vector<int64_t>* parts) {
  int64_t beyond_bytes = 0;
  for (size_t i = 0; i < claims.size(); ++i) {
    beyond_bytes += claims[i].want_bytes - (*parts)[i];
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    int64_t& part = (*parts)[i];
    if (left_bytes >= beyond_bytes) {
      part = claims[i].want_bytes;
    } else {
      part += ShareOf(left_bytes, claims[i].want_bytes - part, beyond_bytes);
    }
  }
}

// Adds `left_bytes` where curves promise most.
void GiveByGain(int64_t left_bytes, const std::vector<FastClaim>& claims,
                std::vector<int64_t>* parts) {
  for (const Offer& offer : OffersFor(claims, *parts)) {
    const int64_t given_bytes =
        WholePagesOf(std::min(left_bytes, offer.gain.bytes));
    (*parts)[offer.claim] += given_bytes;
    left_bytes -= given_bytes;
  }
  ShareOut(left_bytes, claims, parts);
}

// Returns how long a step of each job takes with these parts, together.
int64_t StepsNs(const std::vector<FastClaim>& claims,
                const std::vector<int64_t>& parts) {
  int64_t steps_ns = 0;
  for (size_t i = 0; i < claims.size(); ++i) {
    steps_ns += StepNsAt(claims[i].curve, parts[i]);
  }
  return steps_ns;
}

}  // namespace

std::vector<int64_t> DivideFast(int64_t total_bytes,
                                const std::vector<FastClaim>& claims) {
  std::vector<int64_t> parts;
  int64_t sure_bytes = 0;
  int64_t want_bytes = 0;
  for (const FastClaim& claim : claims) {
    parts.push_back(std::min(claim.floor_bytes, claim.want_bytes));
    sure_bytes += parts.back();
    want_bytes += claim.want_bytes;
  }
  const int64_t left_bytes = total_bytes - sure_bytes;
  if (left_bytes < 0) {
    for (int64_t& part : parts) part = ShareOf(total_bytes, part, sure_bytes);
    return parts;
  }
  std::vector<int64_t> by_gain = parts;
  ShareOut(left_bytes, claims, &parts);
  if (want_bytes <= total_bytes) return parts;
  GiveByGain(left_bytes, claims, &by_gain);
  const int64_t steps_ns = StepsNs(claims, parts);
  const int64_t gained_ns = steps_ns - StepsNs(claims, by_gain);
  return gained_ns > steps_ns / 100 * kLeastGainPercent ? by_gain : parts;
}

}  // namespace stowage::agent
