// The report object: all results of a run, as plain structs that mirror report.json
// (schema 1) one to one. HTML, Markdown, XLSX and the terminal are pure functions of it.
//
// Numbers that appear in prose or tables of metrics carry their exact text, so that four renderers
// cannot disagree on rounding; table cells are values, formatted by base/format from the unit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/numbers.h"
#include "base/rich_text.h"
#include "base/table.h"
#include "base/value.h"
#include "gate/movement_kind.h"
#include "gate/part_kind.h"
#include "model/category.h"
#include "model/idle_cause.h"
#include "model/import_log.h"
#include "model/iteration_source.h"
#include "model/path_kind.h"
#include "model/profile.h"
#include "report/state.h"
#include "rules/claim.h"

namespace profgauge::report {

inline constexpr int kSchema = 1;

/// A number with its unit and the text shown for it everywhere. Absent: value is monostate.
struct Quantity {
  Value value;
  Unit unit = Unit::kNumber;
  std::string text;            ///< "31.4 %", "343 ms", "–" when absent.
  std::string absent_because;  ///< Set when absent.
};

/// What a change saves per iteration (rules/claim.h).
struct Saving {
  rules::Basis basis = rules::Basis::kNone;
  Quantity value;    ///< ns; absent where it is unknown.
  Value low;         ///< ns: its low end; absent without one.
  std::string text;  ///< "saves 48.2 to 59.0 ms", "saving unknown": the same in every output.
  std::string why;   ///< Why it is unknown, or not simulated; may be empty.
};

struct Metric {
  std::string id, title, definition, formula, source;
  Better better = Better::kNeutral;
  Quantity quantity;
  std::string note;  ///< Low confidence, bounds; may be empty.
};

struct Device {
  std::int64_t rank = 0, id = 0;
  std::string name;
};

struct ProfileInfo {
  std::string name;                  ///< Run name: from the file or folder name.
  std::vector<std::string> sources;  ///< File names as given.
  std::string format, dialect;
  std::int64_t ranks = 0;
  std::vector<Device> devices;    ///< The first 4 096…
  std::int64_t more_devices = 0;  ///< …and the number of the others.
  /// Maker of the devices: "nvidia", "amd", "intel", "npu" (Ascend), "neuron", "tpu"; empty:
  /// unknown. model/devices.h has the words for each.
  std::string accelerator;
  std::string framework;  ///< "PyTorch …" when known.
  std::vector<std::pair<std::string, std::string>> versions;
  std::string captured;  ///< UTC date and time of the profile, ISO 8601; empty when unknown.
  IterationSource iteration_source;
  std::int64_t iterations_total = 0, iterations_selected = 0;
  std::string selection;  ///< "iterations 3 to 9 of 12", "all 12 iterations".
};

struct GateRow {
  std::string metric, title;
  Quantity measured;
  Value min, max;             ///< The limit itself, in the unit of `measured`; absent: none.
  std::string limit;          ///< "≥ 60 %", "≤ 15 %".
  Quantity margin;            ///< Measured minus limit, positive is room.
  Quantity baseline, change;  ///< Empty text when there is no baseline.
  State level = State::kNone;
  State status = State::kNone;
  std::string reason;
  /// The metric or rule whose line counts this miss; empty: it counts itself.
  std::string counted_with;
  /// The profile's own number, where `measured` is the one without the profiler; else absent.
  Quantity recorded = {};
};

/// A miss that somebody accepts, up to a bound.
struct Accepted {
  std::string what;        ///< A metric, a kind of parts, "work" or "policy".
  Quantity change, up_to;  ///< Shares; absent where no number is accepted.
  std::string reason, owner;
  std::string until;  ///< The last day; empty: without end.
  std::string text;   ///< "accepted by anna up to +10 %: wider model"
};

/// A setting of the policy that the judged branch makes looser.
struct Loosened {
  std::string what, before, now;
  std::string text;  ///< "iteration.time.median +5 % → +25 %"
};

/// Why there is no verdict.
struct NoVerdict {
  std::string code;  ///< "baseline/lost", of gate/reasons.h.
  std::string text;
  std::string act;  ///< What to do, as its table has it: "restore it, or let the branch run once".
};

struct VerdictInfo {
  State status = State::kNotJudged;
  /// Limits and findings; two on one number count once, as the more severe (GateRow::counted_with).
  std::int64_t errors = 0, warnings = 0, waived = 0, passed = 0, not_applicable = 0, missing = 0;
  std::int64_t cautions = 0;   ///< Optional limits that stay undecided.
  std::int64_t not_found = 0;  ///< Rules that looked and found nothing.
  std::int64_t open = 0;       ///< Changes that a comparison could not decide: no verdict.
  std::vector<std::string> reasons;
  std::string policy;  ///< Name of the policy.
  /// Who named it: "command line", "job gpt of profgauge.yaml", "no policy was given".
  std::string policy_from;
  std::string config;  ///< The configuration that was in force; empty: none.
  std::vector<Accepted> accepted;
  std::string policy_hash;  ///< Of all that formed the policy in force; empty: unknown.
  std::vector<Loosened> loosened;
  std::vector<NoVerdict> no_verdict;  ///< Of a run without one: its reasons.
  bool again = false;                 ///< A new recording alone can settle all of them.
  /// Of a comparison that is undecided: its recordings, and how many would settle it.
  std::int64_t recordings = 0, needed = 0;
  std::string accept_line;  ///< "`Profgauge-Accept: +9.4% REASON`": would accept what failed.
};

/// The baseline of the run's comparison.
struct BaselineUse {
  std::string state;   ///< As gate::BaselineStateName() says.
  std::string source;  ///< "history:main~5"; empty: files.
  std::int64_t wanted = 0;
  struct Run {
    std::int64_t id = 0;
    std::string commit, name;
  };
  std::vector<Run> runs;
  std::vector<std::pair<std::int64_t, std::string>> skipped;  ///< Run and why.
  std::string level;           ///< "run 48, accepted by anna: wider model"; empty: none.
  std::string anchor;          ///< Origin for measuring creep; empty: none.
  std::string learning_until;  ///< "2096-12-14"; empty: nothing is learning.
  std::string line;            ///< All of it in one line.
  std::string mark;            ///< "baseline lost"; empty where all is there.
  bool warns = false;          ///< It is missing, and that is worth a warning.
};

/// Filled by the expert system.
struct Finding {
  std::string rule;            ///< "io/dataloader-bound".
  std::string key;             ///< `rule`, or `rule@GROUP`: stable over runs; empty in old reports.
  State level = State::kNone;  ///< How bad it is where it fires.
  State status = State::kNone;  ///< Where it fired, the level.
  std::string title, message;
  RichText message_parts;              ///< `message` by parts.
  std::vector<RichText> advice_parts;  ///< `advice` by points.
  Quantity metric;
  std::string metric_of;  ///< Whose it is: "rank 3"; empty: of the run, or not said.
  Saving saves;
  std::vector<std::string> explains;
  std::string advice, docs;
  std::string next;  ///< A command that continues the investigation; may be empty.
  std::vector<std::string> evidence_heads;
  std::vector<Unit> evidence_units;
  std::vector<std::vector<Value>> evidence;
  /// Rows that the finding is about, of which `evidence` has the first; 0 in old reports.
  std::int64_t evidence_of = 0;
  std::string evidence_table;  ///< The table whose rows they are; empty where they are of none.
  /// Their places in it, as far as they are kept. Not in report.json.
  std::vector<std::uint32_t> evidence_rows;
  std::string reason;        ///< Why not applicable, waived by whom…
  std::string counted_with;  ///< As of GateRow.
  /// Rows of which the rule's condition is unknown. Its numbers are of the others.
  std::int64_t rows_unknown = 0;
};

/// Findings to fix, in that order, and the iteration time after each (rules/plan.h).
struct PlanStep {
  /// Rules of one finding, or of two that save time only together.
  std::vector<std::string> rules;
  std::string title;   ///< The fault: that of the first of them.
  std::string change;  ///< What to do, in a few words; may be empty.
  std::string action;  ///< The setting: the first point of its finding's advice; may be empty.
  Quantity time;       ///< ns: the iteration time after it.
  Value high;  ///< ns: the same if the host's other work reacts; absent where it is not simulated.
  std::string time_text;  ///< "119 ms", "119 to 129 ms".
  Saving saves;           ///< Simulated, given the steps before it.
  Quantity alone;         ///< ns: without the steps before it.
  /// False: no finding yet. It becomes the limit once the steps before it are done.
  bool fired = true;
  bool needs_earlier = false;  ///< It saves nothing until the steps before it are done.
  std::vector<std::string>
      findings;  ///< Keys of the findings of these rules that fired, or passed.
};

/// The least possible time of an iteration (rules/floor.cc).
struct Floor {
  /// ns; `reachable`: with the device's reach instead of its data sheet.
  Quantity time, reachable;
  Quantity counted;            ///< Part of the time of computing kernels whose work is known.
  std::string absent_because;  ///< Why there is none.
};

struct Plan {
  std::vector<PlanStep> steps;
  std::string absent_because;  ///< Why there are none.
  Quantity start, end;
  Quantity first_calls;       ///< Of a single iteration, not part of the start; may be absent.
  Quantity without_profiler;  ///< The start if the profiler did not slow the host; may be absent.
  std::vector<std::string> no_effect;  ///< Keys of findings that save nothing in any order.
  /// "`host/pageable-copies` saves about 3.15 ms": the largest saving that no simulation shows, if
  /// it is larger than that of every step.
  std::string not_simulated;
  bool complete = true;  ///< False: the profile is too long to try all orders.
  std::string limits;    ///< Limits of the simulation.
  Floor floor;
};

struct ImportCounter {
  std::string name;
  Severity severity = Severity::kInfo;
  std::string text;
  std::uint64_t count = 0;
  std::vector<std::string> examples;
};

struct Remark {
  std::string id, text;
};

/// The profile's events, for the timeline of the page. Bulk: report.json does not have it.
///
/// Events are sorted by lane, and in a lane by start; a lane is one depth of one track, so that its
/// events do not overlap.
struct Timeline {
  /// Names of the properties of kinds, besides name and category: {"layer", "Layer"}.
  struct Facet {
    std::string id, title;
  };
  /// The kind of an event. Events that look the same share one.
  struct Kind {
    std::string name;
    Category category = Category::kOther;  ///< Its color.
    std::string detail;  ///< "grid 160×1×1, block 256, 32 registers" or input shapes; may be empty.
    std::vector<std::string> facets = {};  ///< By Timeline::facets; may be fewer. Empty: has none.
    double blocks = 0;                     ///< Of a kernel: blocks per SM; 0 unknown.
  };
  struct Track {
    std::string name;   ///< "stream 7", "thread 4711 (main)"
    std::string group;  ///< "GPU 0 Tesla V100", "rank 1 host": tracks of a group are adjacent.
    TrackType type = TrackType::kStream;
    std::int64_t rank = 0;
    /// Tracks of a section fold to one line, and are folded at first; empty: a separate track.
    std::string section = {};
    /// The key for sums of a range: "tensor" for both tracks of that engine; empty: the name.
    std::string unit = {};
    std::int64_t device = -1;  ///< Number of the GPU or NeuronCore; -1: the host.
  };
  struct Lane {
    std::uint32_t track = 0, depth = 0;
    std::uint32_t begin = 0, end = 0;  ///< Its events.
  };
  /// A value over time, drawn as steps: allocated memory, launches in the queue.
  struct Counter {
    std::string name, group;
    Unit unit = Unit::kBytes;
    std::int64_t rank = 0;
    double scale = 1;  ///< The factor that brings a value to `unit`.
    std::vector<Ns> time;
    std::vector<std::int64_t> value;
    std::string section = {};  ///< As of Track; counters of a folded section are not shown.
    bool line = false;         ///< A line of steps; else an area.
    Ns end = 0;                ///< End of its data: later values are unknown.
    /// Follows from the kernels of `device` that the timeline has, which then says it at every
    /// zoom: the time in which one runs, or the blocks per SM of those that run, at most 1.
    enum class Of : std::uint8_t { kPoints, kBusy, kBlocks };
    Of of = Of::kPoints;
    std::int64_t device = -1;
  };
  /// A number that each event has: bytes moved, FLOPs.
  struct Amount {
    std::string id, title;
    Unit unit = Unit::kBytes;
    bool adds_up = true;              ///< Whether its sum says something.
    std::vector<std::int64_t> value;  ///< One per event; 0 where there is none.
  };
  struct Mark {
    std::string name;
    Ns time = 0;
  };
  static constexpr std::uint32_t kNoLink = kNoIndex;

  std::vector<Facet> facets;
  std::vector<Kind> kinds;
  std::vector<Track> tracks;
  std::vector<Lane> lanes;  ///< In the order of tracks, then depth.
  std::vector<Ns> start, duration;
  std::vector<std::uint32_t> kind;  ///< Index into kinds.
  std::vector<std::uint32_t> link;  ///< Device events: the event that launched them, or kNoLink.
  std::vector<Amount> amounts;
  /// Dependencies, as (earlier, later) event.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;
  std::vector<Counter> counters;
  std::vector<Mark> marks;  ///< Those of the command line.
  /// Rank and time that was not recorded, whatever calls or work lie in it: in no category.
  std::vector<std::pair<std::int64_t, Span>> unobserved;
  /// Peak rates of one device, to relate sums to; -1 unknown.
  double peak_flops = -1, peak_bandwidth = -1;
  std::string left_out;  ///< "412 000 host operators shorter than 3 µs"; empty: nothing.
  bool empty() const { return start.empty(); }
};

/// Iterations as the breakdown laid out in time, for the first screen of the page. Bulk, as the
/// timeline.
struct Strip {
  /// Columns of the whole axis; shorter windows have fewer.
  static constexpr std::size_t kColumns = 940;

  struct Window {
    std::string role;  ///< "slowest", "latest"; empty: the only one.
    std::string iteration;
    std::int64_t rank = 0;
    Ns begin = 0, length = 0;                             ///< On the axis.
    std::vector<std::array<Ns, kAllCategories>> columns;  ///< Equal parts of it, in ns by category.
    std::vector<Span> unobserved;                         ///< On the axis: in no category.
  };
  Ns length = 0;          ///< Of the axis, which begins at 0.
  bool of_ranks = false;  ///< One iteration on several ranks, on a common clock.
  /// Of ranks: kWait is the time in which collectives wait for others. Else it is communication.
  bool knows_waits = false;
  std::vector<Window> windows;
};

/// A property in which two runs differ.
struct Difference {
  std::string property, base, current;
  bool blocks = false;  ///< The runs are not comparable because of it.
};

/// One metric compared with its baseline.
struct ComparedMetric {
  std::string metric, title;
  Quantity base, current;
  Quantity change, low, high;   ///< The judged change, its 98 % interval; a share when relative.
  Quantity total, total_limit;  ///< Change of the total of all iterations, and its limit; shares.
  Quantity chance;              ///< How probable such a change is by chance; a share.
  Quantity sees;                ///< The change that nine of ten such comparisons would fail.
  std::string limit;            ///< "≤ +5 %"; empty: compared, but not limited.
  State level = State::kNone;   ///< Level of the limit.
  /// Open where inconclusive, and probably beyond the limit; not applicable where the runs must not
  /// be compared.
  State result = State::kNone;
  std::string note;  ///< The way to decide it, low confidence; may be empty.
};

/// Whether the total of all iterations misses its limit where the typical iteration keeps it.
bool IsOfTotal(const ComparedMetric& metric);

/// A metric of the two runs side by side. Absent where a run does not have it.
struct PairedValue {
  std::string metric, title;
  Better better = Better::kNeutral;
  Quantity base, current;
  Quantity change;  ///< A share when relative or of shares (then in points); else in the unit.
};

/// One step of the waterfall: a part of the change of the mean iteration time. Steps of one parent
/// sum exactly to it, the top level to Comparison::delta. Times are ns per iteration.
struct ComparisonStep {
  gate::PartLevel level = gate::PartLevel::kCategory;
  std::string name;          ///< "new ← old" for a renamed kernel.
  std::int64_t parent = -1;  ///< Index of the step it is a part of; -1 at the top.
  gate::PartChange change = gate::PartChange::kChanged;
  std::int64_t base = 0, current = 0;
  std::int64_t delta = 0;  ///< count_effect + duration_effect.
  std::int64_t count_effect = 0, duration_effect = 0;
  double base_count = 0, current_count = 0;  ///< How many took part, per iteration.
  bool significant = false;                  ///< Never of two runs, which do not show their noise.
};

/// A kernel, copy or op in both runs, per iteration; parallel work counts separately.
struct PairedWork {
  std::string name;  ///< As of a step.
  gate::PartChange change = gate::PartChange::kChanged;
  double base_count = 0, current_count = 0;
  std::int64_t base = 0, current = 0;            ///< ns; see PairedTable::measure.
  std::int64_t base_host = 0, current_host = 0;  ///< An op's own time on the host.
  std::int64_t delta = 0, count_effect = 0, duration_effect = 0;
  Value p_value;  ///< Absent: not tested, as of two runs.
  bool significant = false;
};

struct PairedTable {
  Measure measure = Measure::kGpuTime;
  std::int64_t base = 0, current = 0, delta = 0;  ///< The rows' deltas sum exactly to `delta`.
  std::vector<PairedWork> rows;                   ///< Largest |delta| first; may be empty.
};

/// What kind of movement is behind a missed limit (gate/movement.h).
struct Movement {
  gate::MovementKind kind = gate::MovementKind::kUnknown;
  std::string text;                   ///< One sentence, without its end.
  std::vector<std::string> evidence;  ///< What else differs: one clause each.
};

/// The changes against a baseline.
struct Comparison {
  std::string baseline;            ///< Name of the run that the waterfall starts from.
  std::string candidate;           ///< Name of the run that it ends at.
  std::int64_t baseline_runs = 0;  ///< How many runs form the baseline.
  std::int64_t current_runs = 1;   ///< How many runs are compared with it.
  bool comparable = true;
  std::vector<Difference> differences;
  std::vector<std::pair<std::string, std::string>> alike;  ///< Properties that all runs share.
  std::string accelerator;  ///< Accelerator of both runs, like ProfileInfo's; the comparison uses
                            ///< its words.
  std::string work;         ///< "same", "changed", "less", … of gate/work.h.
  std::string work_gone, work_come;  ///< Work of one side only, by name and share.
  std::string slow_rank;   ///< The rank that became slower than the others, and by what; or empty.
  std::int64_t rank = -1;  ///< The rank that the waterfall is of; -1: the run.
  std::vector<ComparedMetric> metrics;
  std::vector<PairedValue> values;
  std::int64_t base = 0, current = 0, delta = 0;  ///< Mean iteration time, ns.
  std::vector<ComparisonStep> waterfall;
  PairedTable kernels, ops;
  std::optional<Movement> movement;  ///< Only where a limit on a change is missed.
};

/// Rows of a table that the report had when it was made, but that report.json does not carry.
struct LeftOutTable {
  std::string id, title;
  std::int64_t rows = 0;  ///< How many are not there.
};

struct Report {
  int schema = kSchema;
  std::string tool;  ///< "profgauge 0.1.0"
  ProfileInfo profile;
  VerdictInfo verdict;
  std::vector<GateRow> gate;
  std::vector<Metric> metrics;
  std::vector<Finding> findings;
  std::optional<Plan> plan;  ///< Where rules were compared with the run.
  std::vector<Table> tables;
  std::vector<std::pair<std::string, std::string>> absent_tables;  ///< id, reason.
  std::vector<LeftOutTable> left_out;    ///< Only in a report read back from report.json.
  std::optional<Comparison> comparison;  ///< Only with a baseline.
  std::optional<BaselineUse> baseline;   ///< Where one was asked for, by call or policy.
  std::vector<Remark> remarks;
  Certificate recording;              ///< Whether the profile can be trusted, by checks.
  std::vector<ImportCounter> import;  ///< Only counters above zero.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> provenance;
  Timeline timeline;  ///< Empty when it was not asked for or the report was read from report.json.
  Strip strip;        ///< Also.
};

/// nullptr if the report has no metric of that id.
const Metric* FindMetricById(const Report& report, std::string_view id);
const Table* FindTableById(const Report& report, std::string_view id);
/// Whether a finding fired: its status is a level.
bool HasFired(const Finding& finding);
/// The fired finding that explains this one, which fired; nullptr if no finding does.
/// RankFindings() puts it before its symptoms. Their gains are one.
const Finding* CauseOf(const Report& report, const Finding& finding);

/// The place on the timeline of a row of a finding's evidence; rank -1 when it has none.
struct Interval {
  Ns start = 0, end = 0;
  std::int64_t rank = -1;
};
/// By the columns "Start", "Length" or "Duration", and "Rank" of `row`; nothing without
/// them.
std::optional<Interval> FindInterval(const Finding& finding, const std::vector<Value>& row);

/// As a shell takes it for one word.
std::string ShellWord(std::string_view text);

/// Rows of a table that report.json has, in their order. It has no bulk data (one row for each
/// event), the 1 000 longest idle gaps, the first tree of operators, and all other rows; for a
/// table of more than 10 000 rows those with most time.
std::vector<std::size_t> RowsInJson(const Table& table);
/// How many these are, without choosing them.
std::size_t CountRowsInJson(const Table& table);

/// Rows within rows: the table has the columns node, parent and depth.
bool IsTree(const Table& table);

/// How many rows of `op_tree` are its first tree: of the iteration nearest the median, of one rank.
std::size_t RowsOfFirstTree(const Table& table);

/// One part of the exclusive breakdown of iteration time, in the order of its priority.
struct BreakdownPart {
  Category category = Category::kOther;
  std::string title;  ///< "Tensor Core kernels", as the metric.
  const Metric* share = nullptr;
  const Metric* time = nullptr;
};
/// All parts that the report has (also those of 0), empty when it has no breakdown.
std::vector<BreakdownPart> Breakdown(const Report& report);
/// Over how many iterations the breakdown's times are sums: those of every rank. At least 1.
std::int64_t SummedIterations(const Report& report);

}  // namespace profgauge::report
