// The table of reasons, the texts that end with their ids, and the table of rules/README.md.
#include "gate/reasons.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace profgauge::gate {
namespace {

namespace fs = std::filesystem;

std::string TextOfFile(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ReasonTable, HasEveryIdOfTheGate) {
  const std::regex id(
      "\\[((?:baseline|gate|iterations|limit|policy|ranks|recording|rules|run|summary|unrecorded)/"
      "[a-z-]+)\\]");
  std::set<std::string> found;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PROFGAUGE_SOURCE_DIR) / "src" / "gate")) {
    const std::string text = TextOfFile(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), id), end; it != end; ++it) {
      found.insert((*it)[1]);
    }
  }
  EXPECT_GE(found.size(), 8U);
  for (const std::string& one : found) EXPECT_NE(FindReason(one), nullptr) << one;
}

// Scripts of users compare these with `code` in verdict.json: a renamed one breaks them.
TEST(ReasonTable, KeepsItsIds) {
  const std::vector<std::string_view> ids = {"rules/broken",
                                             "recording/no-device-events",
                                             "recording/no-kernels",
                                             "recording/collectives-only",
                                             "recording/almost-empty",
                                             "recording/incomplete",
                                             "iterations/too-few",
                                             "iterations/lost",
                                             "iterations/partial",
                                             "iterations/markers-displaced",
                                             "iterations/processes-apart",
                                             "iterations/work-outside",
                                             "ranks/without-markers",
                                             "ranks/without-work",
                                             "ranks/apart",
                                             "ranks/missing",
                                             "ranks/too-many",
                                             "run/contradicts",
                                             "unrecorded/required",
                                             "summary/not-kept",
                                             "baseline/required",
                                             "baseline/lost",
                                             "baseline/none-comparable",
                                             "baseline/not-comparable",
                                             "baseline/less-work",
                                             "baseline/other-load",
                                             "baseline/other-work",
                                             "baseline/implausible",
                                             "baseline/other-inputs",
                                             "baseline/other-clocks",
                                             "baseline/ended-early",
                                             "baseline/other-selection",
                                             "baseline/old-definition",
                                             "baseline/same-run",
                                             "baseline/no-samples",
                                             "run/other-sampling",
                                             "baseline/few-unrecorded",
                                             "baseline/no-times",
                                             "baseline/no-iterations",
                                             "baseline/outside",
                                             "baseline/no-value",
                                             "gate/again",
                                             "gate/learning",
                                             "gate/too-few",
                                             "gate/stalls",
                                             "gate/start",
                                             "baseline/part-once",
                                             "limit/uncertain",
                                             "policy/missing",
                                             "rules/required",
                                             "policy/min-abs",
                                             "policy/looser"};
  std::vector<std::string_view> found;
  for (const Reason& reason : Reasons()) found.push_back(reason.id);
  EXPECT_EQ(found, ids);
}

TEST(ReasonTable, SaysWhoMayOverrule) {
  for (const char* id : {"baseline/less-work", "baseline/other-work", "baseline/implausible"}) {
    ASSERT_NE(FindReason(id), nullptr) << id;
    EXPECT_NE(FindReason(id)->overrule.find("Profgauge-Accept: work"), std::string::npos) << id;
  }
  for (const char* id : {"baseline/none-comparable", "policy/min-abs"}) {
    ASSERT_NE(FindReason(id), nullptr) << id;
    EXPECT_NE(FindReason(id)->overrule.find("policy"), std::string::npos) << id;
  }
  ASSERT_NE(FindReason("policy/looser"), nullptr);
  EXPECT_NE(FindReason("policy/looser")->overrule.find("Profgauge-Accept: policy"),
            std::string::npos);
}

TEST(ReasonTable, IsThatOfTheReadme) {
  const std::string readme = TextOfFile(fs::path(PROFGAUGE_SOURCE_DIR) / "rules" / "README.md");
  EXPECT_NE(readme.find(ReasonsTable()), std::string::npos) << ReasonsTable();
}

TEST(ReasonTable, OrdersRecordingBaselineLimits) {
  std::vector<std::string> texts = {"iteration.time.median: +6 % over the limit [gate/again]",
                                    "the history is gone [baseline/lost]",
                                    "the profile is incomplete: events [recording/incomplete]"};
  OrderReasons(texts);
  ASSERT_NE(ReasonOfText(texts[0]), nullptr);
  EXPECT_EQ(ReasonOfText(texts[0])->id, "recording/incomplete");
  EXPECT_EQ(ReasonOfText(texts[1])->id, "baseline/lost");
  EXPECT_EQ(ReasonOfText(texts[2])->id, "gate/again");
  EXPECT_TRUE(ReasonOfText(texts[0])->again);
  EXPECT_FALSE(ReasonOfText(texts[1])->again);
}

TEST(ReasonTable, AddsAnIdOnce) {
  EXPECT_EQ(WithReason("gpu.idle.mean is missing", kMissingReason),
            "gpu.idle.mean is missing [policy/missing]");
  EXPECT_EQ(WithReason("a [baseline/lost]", kMissingReason), "a [baseline/lost]");
  EXPECT_EQ(WithReason("shape [8, 8]", kMissingReason), "shape [8, 8] [policy/missing]");
  EXPECT_EQ(ReasonOfText("gpu.idle.mean is 31 %, above the limit of 5 %"), nullptr);
}

// `rules explain ID` takes both.
TEST(ReasonTable, SharesNoIdWithARule) {
  const auto rules = rules::LoadBuiltinRules();
  ASSERT_TRUE(rules);
  for (const Reason& reason : Reasons()) {
    EXPECT_EQ(rules->Find(reason.id), nullptr) << reason.id;
    EXPECT_EQ(FindReason(reason.id), &reason) << "twice: " << reason.id;
    if (!reason.remark.empty()) {
      EXPECT_EQ(FindReasonOfRemark(reason.remark), &reason) << reason.id;
    }
  }
  EXPECT_EQ(FindReasonOfRemark(""), nullptr);
}

}  // namespace
}  // namespace profgauge::gate
