#include "agents/jobs/records/event_writer.h"

#include <memory>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(EventWriterTest, WritesWhatIsAppended) {
  const auto report = std::make_unique<session::Report>();
  EventWriter events(report.get());
  events.Append("service-lost", "it does not answer");
  EXPECT_EQ(report->agent_events.written, 1u);
  EXPECT_STREQ(report->agent_events.entries[0].reason, "service-lost");
  EXPECT_STREQ(report->agent_events.entries[0].detail, "it does not answer");
}

// Events are one letter, again and again; the log wraps around all the time.
TEST(EventWriterTest, WhoReadsSeesEventsAsAWhole) {
  const auto report = std::make_unique<session::Report>();
  EventWriter events(report.get());
  std::thread writer([&events] {
    for (uint64_t i = 0; i < 20 * session::kEventEntries; ++i) {
      const std::string text(60, static_cast<char>('a' + i % 26));
      events.Append(text, text);
    }
  });
  int64_t torn = 0;
  uint64_t written = 0;
  while (written < 20 * session::kEventEntries) {
    events.Read([&](const session::Report& seen) {
      written = seen.agent_events.written;
      for (const session::EventRecord& event : seen.agent_events.entries) {
        torn += std::string(event.reason) == event.detail ? 0 : 1;
      }
    });
  }
  writer.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace stowage::agent
