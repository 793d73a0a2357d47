#include "server/training/training_channel.h"

#include <thread>

#include "gtest/gtest.h"

namespace stowage {
namespace {

v1::TrainingEvent EpisodeEvent(int32_t episode) {
  v1::TrainingEvent event;
  event.mutable_episode()->set_episode(episode);
  return event;
}

TEST(TrainingChannelTest, EachWatcherReadsEveryEvent) {
  TrainingChannel channel;
  channel.Publish(EpisodeEvent(1));
  channel.Publish(EpisodeEvent(2));
  for (int watcher = 0; watcher < 2; ++watcher) {
    int64_t cursor = 0;
    for (int32_t episode : {1, 2}) {
      EXPECT_EQ(channel.Next(&cursor, absl::ZeroDuration())
                    .event->episode()
                    .episode(),
                episode);
    }
    EXPECT_FALSE(channel.Next(&cursor, absl::ZeroDuration()).event.has_value());
  }
}

TEST(TrainingChannelTest, AWatcherWaitsForTheNextEvent) {
  TrainingChannel channel;
  std::thread training([&] { channel.Publish(EpisodeEvent(1)); });
  int64_t cursor = 0;
  EXPECT_TRUE(channel.Next(&cursor, absl::Seconds(60)).event.has_value());
  training.join();
}

TEST(TrainingChannelTest, WhatIsLeftIsReadBeforeTheEnd) {
  TrainingChannel channel;
  channel.Publish(EpisodeEvent(1));
  channel.End();
  int64_t cursor = 0;
  EXPECT_TRUE(channel.Next(&cursor, absl::Seconds(60)).event.has_value());
  const TrainingNews end = channel.Next(&cursor, absl::Seconds(60));
  EXPECT_FALSE(end.event.has_value());
  EXPECT_EQ(end.state, ChannelState::kEnded);
  channel.Close();  // changes nothing
  EXPECT_EQ(channel.Next(&cursor, absl::Seconds(60)).state,
            ChannelState::kEnded);
}

TEST(TrainingChannelTest, ALateWatcherGetsTheLastEvents) {
  TrainingChannel channel;
  const auto events = static_cast<int32_t>(TrainingChannel::kMaxEvents) + 3;
  for (int32_t episode = 0; episode < events; ++episode) {
    channel.Publish(EpisodeEvent(episode));
  }
  int64_t cursor = 0;
  EXPECT_EQ(
      channel.Next(&cursor, absl::ZeroDuration()).event->episode().episode(),
      3);
}

}  // namespace
}  // namespace stowage
