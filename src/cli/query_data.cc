#include "cli/query_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/context.h"
#include "api/default_policy.h"
#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/policies.h"
#include "cli/rank_by_rank.h"
#include "cli/reading.h"
#include "gate/history.h"
#include "model/summary/summary.h"
#include "query/tables.h"
#include "readers/load.h"
#include "readers/one_run.h"
#include "readers/ranks.h"
#include "report/code_names.h"
#include "report/redact.h"
#include "rules/facts.h"
#include "rules/waiver.h"

namespace profgauge::cli {
namespace {

using query::Origin;

// True if a table of that origin is wanted. Tables that describe the schema count for every origin,
// because they have the number of rows of each table.
bool HasTableOf(Origin origin, const query::Places& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [origin](std::size_t place) {
    const query::RelationInfo& table = query::Schema()[place];
    return table.origin == origin || query::DescribesItself(table.name);
  });
}

bool AsksForSchema(const query::Places& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [](std::size_t place) {
    return query::DescribesItself(query::Schema()[place].name);
  });
}

// The error for wanted events that cannot be read. It has two causes with different next steps:
// there are too many ranks to read at the same time, or the inputs are summaries.
Error NoEvents(const Options& options, const query::Places& wanted, const Profile& summary) {
  const auto table = std::find_if(wanted.begin(), wanted.end(), [](std::size_t place) {
    return query::Schema()[place].origin == Origin::kEvents;
  });
  const std::string& name = query::Schema()[*table].name;
  if (NamesManyRanks(options)) {
    return InputError(
        options.arguments.front(), "query/too-many-ranks",
        fmt::format("events of a run with this number of ranks do not fit into memory, and `{}` "
                    "has one row per event",
                    name),
        "use `--rank N` for one rank, or `export tables` for all of them");
  }
  return InputError(
      summary.source.path, "summary/no-events",
      fmt::format("`{}` needs the events of the ranks, which summaries do not keep", name),
      "give the profiles that the summaries were made of");
}

/// Adds the events of ranks, the first of which has `position` in the run.
Status AddEventsOf(const std::string& run, std::span<const Profile> ranks, std::size_t position,
                   const analysis::Selection& selection, const query::Places& wanted,
                   query::Dataset& data) {
  PROFGAUGE_TRY(std::vector<analysis::iterations::RankContext> contexts,
                analysis::iterations::BuildRankContexts(ranks, selection));
  query::AddEvents(
      run,
      std::make_shared<const std::vector<analysis::iterations::RankContext>>(std::move(contexts)),
      position, wanted, data);
  return {};
}

/// The facts of a judged run. Moves the report's tables to the analysis and back.
query::FactValues FactsOf(std::span<const Profile> ranks, Judgement::Data& judged) {
  judged.analysis.tables = std::move(judged.report.tables);
  const rules::Facts facts = rules::CollectFacts(ranks, judged.analysis);
  judged.report.tables = std::move(judged.analysis.tables);
  return {facts.begin(), facts.end()};
}

}  // namespace

query::Places AllTables() {
  query::Places all;
  for (std::size_t i = 0; i < query::Schema().size(); ++i) all.insert(i);
  return all;
}

Status QueryData::Add(const std::string& run, const Options& options, const query::Places& wanted,
                      Console& console) {
  PROFGAUGE_TRY(const bool is_whole, AddWhole(run, options, wanted, console));
  if (is_whole || AsksForSchema(wanted)) return {};
  return Fail(NoEventsIn(options, wanted));
}

Error QueryData::NoEventsIn(const Options& options, const query::Places& wanted) const {
  const std::vector<Profile>& ranks = *profiles_.back();
  return NoEvents(options, wanted, *std::find_if(ranks.begin(), ranks.end(), IsSummary));
}

/// The judge of a run: its policy and rules.
struct QueryData::Judge {
  Judge(const Options& options, std::chrono::sys_days today, Console& console)
      : select{today, false}, policies(options, select, console) {}
  rules::SelectOptions select;
  Policies policies;
};

Result<bool> QueryData::AddWhole(const std::string& run, const Options& options,
                                 const query::Places& wanted, Console& console) {
  PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  Judge judge(options, today, console);
  const Judging* judging = judge.policies.For(false);
  if (judging == nullptr) return Fail(AlreadyReported());
  PROFGAUGE_TRY(std::vector<Profile> read, ReadRanks(options, judging->policy, console));
  PROFGAUGE_CHECK(readers::CheckOneRun(read, ""));
  return AddRead(run, options, std::move(read), 0, wanted, judge);
}

// Keeps the profiles, because rows of events are read directly from them. A report is redacted when
// it is made, rows of events and facts afterwards. A redacted report has no timeline.
Result<bool> QueryData::AddRead(const std::string& run, const Options& options,
                                std::vector<Profile> read, std::size_t position,
                                const query::Places& wanted, Judge& judge) {
  profiles_.push_back(std::make_unique<std::vector<Profile>>(std::move(read)));
  const std::vector<Profile>& ranks = *profiles_.back();
  const Judging* judging = judge.policies.For(IsCpuOnly(ranks));
  if (judging == nullptr) return Fail(AlreadyReported());
  const query::Places all = AsksForSchema(wanted) ? AllTables() : wanted;
  const bool wants_events = HasTableOf(Origin::kEvents, wanted);
  const bool is_whole = std::none_of(ranks.begin(), ranks.end(), IsSummary);
  if (wants_events && is_whole) {
    PROFGAUGE_CHECK(AddEventsOf(run, ranks, position,
                                SelectionOf(judging->policy, Choices(options)), all, data_));
  }
  if (HasTableOf(Origin::kReport, wanted)) {
    JudgeRunsOptions how;
    how.choices = Choices(options);
    how.today = judge.select.today;
    how.timeline_later = true;
    how.redact = options.redact;
    if (how.redact) how.choices.events = EventsInPage::kNone;
    const RunToJudge to_judge{run.empty() ? RunName(options.arguments) : run, ranks};
    how.remark = judge.policies.RemarkOn(to_judge);
    PROFGAUGE_TRY(Judgement::Data judged,
                  JudgeRuns(std::span(&to_judge, 1), judging->policy, judging->book, {}, how));
    const query::FactValues facts = FactsOf(ranks, judged);
    query::AddReport(run, std::make_shared<const report::Report>(std::move(judged.report)), facts,
                     data_);
  }
  RedactRows(options.redact, run, ranks, data_);
  if (AsksForSchema(wanted)) data_.DescribeItself();
  return is_whole || !wants_events;
}

// Reads each rank again, from the path of its summary. Ends at the first error, because half of the
// events would look like all of them.
Status QueryData::EachRank(const Options& options, const query::Places& events, Console& console,
                           const std::function<Status(const query::Dataset&)>& use) {
  if (events.empty()) return {};
  const auto policy = ReadPolicy(options, console);
  if (!policy) return Fail(AlreadyReported());
  analysis::Selection selection = SelectionOf(*policy, Choices(options));
  const std::vector<Profile>& stand_ins = *profiles_.back();
  for (std::size_t i = 0; i < stand_ins.size(); ++i) {
    Options one = options;
    one.arguments = {stand_ins[i].source.path};
    PROFGAUGE_TRY(std::vector<Profile> ranks, ReadBesideOthers(one, console));
    if (std::any_of(ranks.begin(), ranks.end(), IsSummary)) {
      for (const std::size_t place : events) {
        data_[place].absent_because = "summaries keep no events (summary/no-events)";
      }
      continue;
    }
    query::Dataset of_rank;
    PROFGAUGE_CHECK(AddEventsOf("", ranks, i, selection, events, of_rank));
    RedactRows(options.redact, "", stand_ins, of_rank);
    PROFGAUGE_CHECK(use(of_rank));
  }
  return {};
}

// Calls CheckOneRun() last, because it needs the fields of all ranks. Until then, `seen` keeps only
// the few fields that it uses, without events.
Status QueryData::ForEachRank(const Options& options, const query::Places& wanted, Console& console,
                              const std::function<Status(std::int64_t rank, QueryData&)>& use) {
  PROFGAUGE_TRY(const auto today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  Judge judge(options, today, console);
  std::vector<Profile> seen;  // Without their events.
  const std::vector<std::string> inputs = RecordingsNamed(options.arguments);
  for (const std::string& input : inputs) {
    Options one = options;
    one.arguments = {input};
    one.is_one_of_many = inputs.size() > 1;
    auto read = ReadBesideOthers(one, console);
    if (!read && inputs.size() > 1 && readers::IsNoRecording(read.error())) {
      console.Say(
          fmt::format("note: left out {}: {}", Printable(input), Printable(read.error().message)));
      continue;
    }
    if (!read) return Fail(std::move(read).error());
    for (Profile& profile : *read) {
      Profile& known = seen.emplace_back();
      known.source = profile.source;
      known.distributed = profile.distributed;
      std::int64_t& rank = profile.distributed.rank;
      if (rank < 0) rank = static_cast<std::int64_t>(seen.size()) - 1;
      std::vector<Profile> alone;
      alone.push_back(std::move(profile));
      const std::int64_t number = alone.front().distributed.rank;
      QueryData data;
      PROFGAUGE_TRY(
          const bool is_whole,
          data.AddRead("", one, std::move(alone), static_cast<std::size_t>(number), wanted, judge));
      if (!is_whole && !AsksForSchema(wanted)) return Fail(data.NoEventsIn(one, wanted));
      PROFGAUGE_CHECK(use(number, data));
    }
  }
  if (seen.empty()) {
    return Fail(InputError(options.arguments.front(), "input/ranks-unreadable",
                           "no profile of the folder can be read",
                           "`profgauge inspect` lists the runs below a folder"));
  }
  readers::GiveRanks(seen, RanksOf(options));
  return readers::CheckOneRun(seen, "");
}

// Gives a redacted export only digests of the hashes. Without a redaction key, the hashes make the
// key of hidden names (report::KeyOf()), so they must not be shown.
std::vector<std::pair<std::int64_t, std::string>> QueryData::Hashes(const Options& options) const {
  std::vector<std::pair<std::int64_t, std::string>> hashes;
  for (const auto& ranks : profiles_) {
    for (std::size_t i = 0; i < ranks->size(); ++i) {
      const std::int64_t rank = (*ranks)[i].distributed.rank;
      const std::string& hash = (*ranks)[i].source.hash;
      hashes.emplace_back(rank < 0 ? static_cast<std::int64_t>(i) : rank,
                          options.redact.HidesCode() ? report::DigestOf(hash) : hash);
    }
  }
  return hashes;
}

std::vector<std::string> QueryData::NotesOn(const query::Places& wanted) const {
  std::vector<std::string> notes;
  for (const std::size_t place : wanted) {
    const query::Relation& table = data_[place];
    if (table.size() > 0 || table.absent_because.empty()) continue;
    notes.push_back(fmt::format("{} is empty: {}", table.info->name, table.absent_because));
  }
  return notes;
}

namespace {

Cell TextOrNone(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

}  // namespace

Status AddHistory(const std::string& path, const query::Places& wanted, query::Dataset& data) {
  const std::size_t runs_at = *query::FindRelation("history_runs");
  const std::size_t metrics_at = *query::FindRelation("history_metrics");
  if (!wanted.contains(runs_at) && !wanted.contains(metrics_at)) return {};
  PROFGAUGE_TRY(gate::History history, gate::History::OpenToRead(path));
  PROFGAUGE_TRY(const std::vector<gate::HistoryLevel> levels, history.Levels());
  PROFGAUGE_TRY(const std::vector<gate::HistoryRow> rows,
                history.Rows("", std::numeric_limits<std::int64_t>::max()));
  std::set<std::int64_t> accepted;
  for (const gate::HistoryLevel& level : levels) accepted.insert(level.run);
  auto runs = std::make_shared<query::MadeRows>();
  auto metrics = std::make_shared<query::MadeRows>();
  for (const gate::HistoryRow& row : rows) {
    PROFGAUGE_TRY(const gate::Snapshot snapshot, history.Load(row.id));
    runs->Add({row.id, row.time, TextOrNone(row.branch), TextOrNone(row.commit),
               TextOrNone(row.model), TextOrNone(snapshot.name),
               TextOrNone(snapshot.Environment("gpu")),
               TextOrNone(snapshot.Environment("world_size")), TextOrNone(row.verdict),
               std::int64_t{accepted.contains(row.id)}});
    for (const auto& [id, value] : snapshot.metrics) {
      const analysis::MetricSpec* spec = analysis::FindMetric(id);
      metrics->Add(
          {row.id, id, value, spec == nullptr ? Cell() : Cell(std::string(UnitName(spec->unit)))});
    }
  }
  data[runs_at].parts = {{"", std::nullopt, 0, std::move(runs)}};
  data[metrics_at].parts = {{"", std::nullopt, 0, std::move(metrics)}};
  return {};
}

namespace {

/// Shared by all rows of a run, which may be read concurrently.
class Hiding {
 public:
  Hiding(const report::Redaction& redaction, std::span<const Profile> ranks)
      : level_(redaction.level), code_(KeyOf(redaction, ranks)) {
    if (level_ < report::RedactLevel::kCode) return;
    for (const Profile& rank : ranks) {
      for (const auto& gpu : rank.gpus) code_.LearnWhole(gpu.name);
      for (std::uint32_t i = 0; i < rank.strings.size(); ++i) {
        code_.Learn(rank.strings[StringId{i}]);
      }
    }
  }

  std::string Hidden(std::string_view text, report::NameKind of) {
    std::string hidden(text);
    if (level_ >= report::RedactLevel::kCode) {
      const std::scoped_lock lock(mutex_);
      hidden = code_.Hide(hidden, of);
    }
    hidden = report::WithoutFolders(hidden);
    return level_ == report::RedactLevel::kAll ? report::WithoutShapes(hidden) : hidden;
  }

 private:
  static std::string KeyOf(const report::Redaction& redaction, std::span<const Profile> ranks) {
    std::vector<std::string> hashes;
    for (const Profile& rank : ranks) hashes.push_back(rank.source.hash);
    return report::KeyOf(redaction, hashes);
  }

  report::RedactLevel level_;
  report::CodeNames code_;
  std::mutex mutex_;
};

// Hides each text when it is read, because a redacted copy of an event table would take as much
// memory as the profile.
class RedactedRows : public query::Rows {
 public:
  RedactedRows(std::shared_ptr<const query::Rows> rows, std::shared_ptr<Hiding> hiding,
               report::NameKind of)
      : rows_(std::move(rows)), hiding_(std::move(hiding)), of_(of) {}
  std::size_t size() const override { return rows_->size(); }
  Cell At(std::size_t row, std::size_t column) const override {
    Cell cell = rows_->At(row, column);
    const bool is_text =
        std::holds_alternative<std::string_view>(cell) || std::holds_alternative<std::string>(cell);
    return is_text ? Cell(hiding_->Hidden(profgauge::TextOf(cell), of_)) : cell;
  }

 private:
  std::shared_ptr<const query::Rows> rows_;
  std::shared_ptr<Hiding> hiding_;
  report::NameKind of_;
};

report::NameKind KindOf(std::string_view table) {
  if (table == "python_events") return report::NameKind::kFunction;
  return table == "device_events" ? report::NameKind::kKernel : report::NameKind::kName;
}

}  // namespace

void RedactRows(const report::Redaction& redaction, const std::string& run,
                std::span<const Profile> ranks, query::Dataset& data) {
  if (!redaction) return;
  const auto hiding = std::make_shared<Hiding>(redaction, ranks);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const query::RelationInfo& table = query::Schema()[i];
    if (table.origin != query::Origin::kEvents && table.name != "facts") continue;
    for (query::Part& part : data[i].parts) {
      if (part.run != run) continue;
      part.rows = std::make_shared<RedactedRows>(part.rows, hiding, KindOf(table.name));
    }
  }
}

}  // namespace profgauge::cli
