// Tables of events, compared with the model that they are read from.
#include "query/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "ask.h"
#include "base/metric_id.h"

namespace profgauge::query {
namespace {

TEST(Events, HaveARowForEachEvent) {
  std::map<std::string, std::size_t> rows;
  std::map<std::string, Ns> times;
  for (const Profile& rank : Ddp().ranks) {
    rows["device_events"] += rank.device.size();
    rows["host_events"] += rank.host.size();
    rows["call_events"] += rank.api.size();
    rows["python_events"] += rank.python.size();
    rows["allocator_events"] += rank.memory.size();
    for (std::size_t i = 0; i < rank.device.size(); ++i) {
      times[rank.device.kind[i] == DeviceKind::kKernel   ? "kernel"
            : rank.device.kind[i] == DeviceKind::kMemcpy ? "memcpy"
                                                         : "memset"] += rank.device.duration[i];
    }
  }
  for (const auto& [table, count] : rows) {
    EXPECT_EQ(Answer("select count(*) from " + table), std::to_string(count)) << table;
  }
  for (const auto& [kind, time] : times) {
    EXPECT_EQ(Answer("select sum(duration) from device_events where kind = '" + kind + "'"),
              std::to_string(time))
        << kind;
  }
}

TEST(Events, GapsAddUpToIdleTime) {
  Ns idle = 0;
  for (const analysis::iterations::RankContext& rank : *Ddp().contexts) {
    for (const analysis::iterations::GpuUse& gpu : rank.gpus) idle += gpu.observed - gpu.busy;
  }
  EXPECT_EQ(Answer("select sum(duration) from gap_events"), std::to_string(idle));
}

TEST(Events, IdsAreUniqueAndJoin) {
  for (const RelationInfo& table : Schema()) {
    if (table.origin != Origin::kEvents) continue;
    EXPECT_EQ(Answer("select count(*) - count(distinct id) from " + table.name), "0") << table.name;
  }
  struct Join {
    std::string_view from, column, to;
  };
  const Join kJoins[] = {{"device_events", "op_id", "host_events"},
                         {"device_events", "call_id", "call_events"},
                         {"device_events", "collective_id", "collective_events"},
                         {"host_events", "parent_id", "host_events"},
                         {"host_events", "forward_id", "host_events"},
                         {"call_events", "op_id", "host_events"},
                         {"gap_events", "before_id", "device_events"},
                         {"gap_events", "after_id", "device_events"},
                         {"collective_events", "device_id", "device_events"},
                         {"allocator_events", "op_id", "host_events"}};
  for (const Join& join : kJoins) {
    const std::string sql = fmt::format(
        "select count(*) from {0} a where a.{1} is not null and "
        "(select count(*) from {2} b where b.id = a.{1} and b.rank = a.rank) <> 1",
        join.from, join.column, join.to);
    EXPECT_EQ(Answer(sql), "0") << sql;
  }
}

TEST(Events, MomentsFindCoveringEvents) {
  const std::string at = Answer(
      "select start + duration / 2 from device_events where rank = 1 "
      "order by duration desc limit 1");
  EXPECT_EQ(Answer("select id from device_events where rank = 1 and at = " + at + " order by id"),
            Answer("select id from device_events where rank = 1 and start <= " + at +
                   " and start + duration > " + at + " order by id"));
  EXPECT_NE(Answer("select count(*) from device_events where rank = 1 and at = " + at), "0");
  EXPECT_EQ(Answer("select count(*) from device_events where at = 'x'"), "0");
  EXPECT_EQ(Answer("select count(*) from gap_events g join host_events h on h.rank = g.rank and "
                   "h.at = g.start where g.rank = 0"),
            Answer("select count(*) from gap_events g join host_events h on h.rank = g.rank and "
                   "h.start <= g.start and h.start + h.duration > g.start where g.rank = 0"));
}

TEST(Events, PushedConstraintsKeepSqlsComparisons) {
  const std::string all = Answer("select count(*) from device_events where rank + 0 = 2");
  EXPECT_NE(all, "0");
  for (const char* value : {"2", "2.0", "'2'"}) {
    EXPECT_EQ(Answer(std::string("select count(*) from device_events where rank = ") + value), all)
        << value;
  }
  EXPECT_EQ(Answer("select count(*) from device_events where rank = 2.5"), "0");
  EXPECT_EQ(Answer("select count(*) from device_events where rank = null"), "0");
  EXPECT_EQ(Answer("select count(*) from device_events where id = -1"), "0");
  EXPECT_EQ(Answer("select count(*) from device_events where id = 9223372036854775807"), "0");
  EXPECT_EQ(Answer("select count(*) from device_events where rank in (0, 1, 2, 3)"),
            Answer("select count(*) from device_events"));
}

TEST(Events, UnionTimeIsBusyTime) {
  Ns busy = 0;
  for (const analysis::iterations::GpuUse& gpu : Ddp().contexts->front().gpus) busy += gpu.busy;
  const Span window = Ddp().contexts->front().window();
  EXPECT_EQ(Answer(fmt::format("select union_time(max(start, {0}), min(start + duration, {1}) - "
                               "max(start, {0})) from device_events where rank = 0",
                               window.start, window.end)),
            std::to_string(busy));
}

TEST(Events, PathAddsUpToItsTable) {
  EXPECT_EQ(Answer("select rank, sum(duration) from path_events group by 1"),
            Answer("select rank, sum(time) from critical_path group by 1"));
}

TEST(Events, CollectivesAgreeWithTheirTable) {
  EXPECT_EQ(Answer("select rank, name, count(*), sum(duration) from collective_events "
                   "where iteration is not null group by 1, 2 order by 1, 2"),
            Answer("select rank, name, sum(calls), sum(time) from collectives "
                   "group by 1, 2 order by 1, 2"));
}

TEST(Events, CallsAndOperatorsAgreeWithTheirTables) {
  EXPECT_EQ(Answer("select name, count(*) from call_events where iteration is not null "
                   "group by 1 order by 1"),
            Answer("select name, calls from api_calls order by 1"));
  EXPECT_EQ(Answer("select name, count(*) from host_events where kind = 'op' and "
                   "name in (select name from ops) group by 1 order by 1"),
            Answer("select name, calls from ops order by 1"));
}

// Gloo on a CPU: the operators of another thread hide a part of it.
TEST(Events, HostCollectivesAreExposedAsInTheBreakdown) {
  const std::string path =
      std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/micro/test_distributed_gloo_cpu.trace.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/data";
  const Asked gloo(path);
  EXPECT_EQ(Answer("select sum(exposed) from collective_events", gloo.data), "35000");
  EXPECT_EQ(
      Answer("select value from metrics where id = 'breakdown.communication.time'", gloo.data),
      "35000");
}

TEST(Events, ReportTablesHaveAllRows) {
  for (const Table& table : Ddp().analysis.tables) {
    if (table.columns().empty()) continue;
    EXPECT_EQ(Answer("select count(*) from " + table.id()), std::to_string(table.rows()))
        << table.id();
  }
}

TEST(Events, TheSchemaDescribesItself) {
  EXPECT_EQ(Answer("select rows from tables where name = 'device_events'"),
            Answer("select count(*) from device_events"));
  EXPECT_EQ(Answer("select unit, is_key from columns where table_name = 'device_events' and "
                   "name = 'id'"),
            "count 1");
  EXPECT_EQ(Answer("select absent_because is not null from tables where name = 'python_events'"),
            "1");
}

}  // namespace
}  // namespace profgauge::query
