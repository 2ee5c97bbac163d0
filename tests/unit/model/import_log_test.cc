// The import log's counts, in words.
#include "model/import_log.h"

#include <gtest/gtest.h>

namespace profgauge {
namespace {

TEST(ImportLog, OneIsNotSeveral) {
  EXPECT_EQ(CounterText(Counter::duplicate_ids, 1),
            "row with an id that another row has; both count");
  EXPECT_EQ(CounterText(Counter::duplicate_ids, 2),
            "rows with an id that another row has; both count");
  EXPECT_EQ(CounterText(Counter::rows_unusable, 1),
            "table with more than 1 % of its rows unusable; totals are lower bounds");
  EXPECT_EQ(CounterText(Counter::events_read, 0), "events read");
}

// Every text says something, and only sentences that count nothing are the same for one and
// several.
TEST(ImportLog, EveryCounterHasBothTexts) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    const CounterInfo& info = InfoOf(counter);
    EXPECT_FALSE(info.one.empty() || info.text.empty()) << info.name;
    const bool is_sentence = counter == Counter::truncated || counter == Counter::traces_behind ||
                             counter == Counter::events_dropped;
    EXPECT_EQ(info.one == info.text, is_sentence) << info.name;
  }
}

}  // namespace
}  // namespace profgauge
