#include "rules/waiver.h"

#include <gtest/gtest.h>

#include "rules/selection.h"

namespace profgauge::rules {
namespace {

TEST(Waiver, Days) {
  for (const std::string_view text : {"2026-11-21", "2028-02-29", "1970-01-01"}) {
    ASSERT_TRUE(ParseDay(text)) << text;
    EXPECT_EQ(FormatDay(*ParseDay(text)), text);
  }
  for (const std::string_view text :
       {"", "2026-02-29", "2026-13-01", "2026-1-1", "26-01-01", "2026/01/01", "2026/01-01",
        "2026-01/01", "2026-01-0:", "2026-01-0/", "2026-1:-01", "2026-01-1x", "202x-01-01",
        "2026-01-01 ", "+026-01-01"}) {
    EXPECT_FALSE(ParseDay(text)) << text;
  }
}

TEST(Waiver, TodayIsTheLatestDayThatIsKnown) {
  EXPECT_EQ(FormatDay(*Today("2096-11-21", "0")), "2096-11-21");
  EXPECT_EQ(FormatDay(*Today("2096-11-21", "253402300799")), "9999-12-31");
  EXPECT_EQ(FormatDay(*Today("253402300799", nullptr)), "9999-12-31");
  // The date of an old commit does not take the clock back.
  EXPECT_EQ(*Today("", "86400"), *Today("", nullptr));
  EXPECT_EQ(*Today("1970-01-02", nullptr), *Today("", ""));
  EXPECT_GT(FormatDay(*Today("", "86400")), "2026-01-01");
  for (const char* text : {"253402300800", "1700000000x", "x", "99999999999999999999"}) {
    EXPECT_FALSE(Today(text, nullptr)) << text;
  }
  EXPECT_EQ(Today("yesterday", nullptr).error().code, "usage/now");
  EXPECT_EQ(Today("yesterday", nullptr).error().message,
            "`now`: expected a day such as `2026-11-21` or seconds since 1970, found `yesterday`");
  EXPECT_EQ(
      Today("", "-5").error().message,
      "`SOURCE_DATE_EPOCH`: expected a day such as `2026-11-21` or seconds since 1970, found `-5`");
}

TEST(Waiver, HasABound) {
  const auto errors = [](std::string_view limit, std::string_view up_to) {
    const auto policy = ParsePolicy(
        "schema: 1\nbaseline: {iteration.time.median: {max_increase: " + std::string(limit) +
            "}}\nwaivers:\n  - {limit: iteration.time.median, up_to: " + std::string(up_to) +
            ", reason: r, owner: o, expires: 2097-01-01}\n",
        "p.yaml");
    return policy ? CheckBounds(*policy) : policy.error();
  };
  EXPECT_TRUE(errors("5%", "50%").empty());
  ASSERT_EQ(errors("5%", "51%").size(), 1U);
  EXPECT_EQ(errors("5%", "51%").front().code, "waiver/no-bound");
  EXPECT_TRUE(errors("10%", "100%").empty());
  EXPECT_EQ(errors("5%", "100000%").size(), 1U);
}

constexpr std::string_view kPolicy = R"(
schema: 1
waivers:
  - {rule: gpu/idle, reason: r, owner: ops, expires: 2026-11-21}
  - {rule: gpu/idle, reason: r, owner: ops, expires: 2026-11-20}
  - {rule: gpu/idle, reason: r, owner: ops, expires: 2027-05-20}
)";

RuleSet OneRule() {
  return {ParseRuleFile(
              "schema: 2\nnamespace: gpu\nrules:\n"
              "  - {id: idle, title: t, category: c, for_each: gpu, level: warn, message: m}\n",
              "gpu.yaml")
              ->rules,
          ""};
}

TEST(Waiver, AppliesThroughItsLastDay) {
  const RuleSet rules = OneRule();
  const auto policy = ParsePolicy(kPolicy, "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto active = SelectRules(rules, *policy, {*ParseDay("2026-11-21")});
  ASSERT_TRUE(active) << RenderErrors(active.error(), false);
  EXPECT_EQ((*active)[0].waivers,
            (std::vector<const Waiver*>{&policy->waivers[0], &policy->waivers[2]}));
}

TEST(Waiver, Over180DaysIsAnError) {
  const RuleSet rules = OneRule();
  const auto policy = ParsePolicy(kPolicy, "p.yaml");
  const auto day_before = *ParseDay("2026-11-20");
  const auto active = SelectRules(rules, *policy, {day_before});
  ASSERT_FALSE(active);
  EXPECT_EQ(
      RenderErrors(active.error(), false),
      "error: the waiver for `gpu/idle` (owner: ops) lasts until 2027-05-20, more than 180 days "
      "from 2026-11-20\n"
      "  --> p.yaml:6:5\n"
      "  help: choose an earlier day, or write `long: true` into the waiver   "
      "[policy/long-waiver]\n");
  EXPECT_TRUE(SelectRules(rules, *policy, {day_before, true}));
}

TEST(Waiver, ExpiredAndUnusedOnesAreNoted) {
  const Waiver waiver = ParsePolicy(kPolicy, "p.yaml")->waivers[0];
  EXPECT_EQ(NoteOnWaiver(waiver, false, true), std::nullopt);
  EXPECT_EQ(
      *NoteOnWaiver(waiver, true, false),
      "the waiver for `gpu/idle` (owner: ops) expired on 2026-11-21 and no longer applies; fix "
      "the cause, or renew it");
  EXPECT_EQ(*NoteOnWaiver(waiver, false, false),
            "the waiver for `gpu/idle` (owner: ops) matches no finding; remove it if the problem "
            "is fixed");
}

}  // namespace
}  // namespace profgauge::rules
