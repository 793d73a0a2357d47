#include "tools/stowage/completion/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "nlohmann/json.hpp"

namespace stowage::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    Options run = line_.root().AddSubcommand("run", "Run a user's job [fast]");
    run.Add("-o,--output", output_, "File: where to");
    run.Add("--quiet", quiet_, "Say nothing");
    run.AddFormat(json_);
    run.Add("job", job_, "The job");
    Options graph = line_.root().AddSubcommand("graph", "Graphs");
    graph.AddSubcommand("show", "Show one");
  }

  std::string output_, job_;
  bool quiet_ = false, json_ = false;
  CommandLine line_{"Does things.", "tool", "tool 1"};
};

TEST_F(CompletionTest, DescribesCommandsAndWhatTheirOptionsTake) {
  const CommandInfo tool = line_.Describe();
  EXPECT_EQ(tool.name, "tool");
  ASSERT_THAT(tool.subcommands, SizeIs(2));
  const CommandInfo& run = tool.subcommands[0];
  // An argument has no flag, and is not among them.
  ASSERT_THAT(run.options, SizeIs(4));
  EXPECT_THAT(run.options[1].flags, ElementsAre("-o", "--output"));
  EXPECT_TRUE(run.options[1].has_value);
  EXPECT_THAT(run.options[1].choices, IsEmpty());
  EXPECT_FALSE(run.options[2].has_value);
  EXPECT_THAT(run.options[3].choices, ElementsAre("text", "json"));
  EXPECT_EQ(tool.subcommands[1].subcommands[0].name, "show");
}

TEST_F(CompletionTest, ListsTheCommandsThatCanBeRun) {
  const auto list = nlohmann::json::parse(CommandListJson(line_.Describe()));
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0]["help"], "Run a user's job [fast]");
  EXPECT_EQ(list[1]["command"], "tool graph show");
}

TEST_F(CompletionTest, OffersBashTheWordsOfEachCommand) {
  const std::string script = BashCompletion(line_.Describe());
  EXPECT_THAT(script, HasSubstr("'tool graph') words='show -h --help' ;;"));
  EXPECT_THAT(script, HasSubstr("'tool run --format') words='text json' ;;"));
  EXPECT_THAT(script,
              HasSubstr("'tool run -o'|'tool run --output') words= ;;"));
  EXPECT_THAT(script, HasSubstr("complete -o default -F _tool tool"));
}

TEST_F(CompletionTest, QuotesWhatShellsWouldRead) {
  const std::string zsh = ZshCompletion(line_.Describe());
  EXPECT_THAT(zsh, HasSubstr(R"('run:Run a user'\''s job \[fast\]')"));
  EXPECT_THAT(zsh, HasSubstr(R"('*--output[File\: where to]:value:_files')"));
  const std::string fish = FishCompletion(line_.Describe());
  EXPECT_THAT(fish, HasSubstr(R"(-a run -d 'Run a user\'s job [fast]')"));
  EXPECT_THAT(fish, HasSubstr("-l format -r -f -a 'text json'"));
  EXPECT_THAT(fish, Not(HasSubstr("job -d")));
}

}  // namespace
}  // namespace stowage::cli
