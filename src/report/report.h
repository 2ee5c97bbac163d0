// The report object: all results of a run, as plain structs that mirror report.json (schema 1).
// HTML, Markdown, XLSX and the terminal are pure functions of it.
//
// Numbers in prose and in tables of metrics have their exact text, so that renderers cannot round
// differently. Table cells are values, formatted by base/format from their unit.
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

/// A number with its unit and its text for all outputs. Absent: value is monostate.
struct Quantity {
  Value value;
  Unit unit = Unit::kNumber;
  std::string text;            ///< "31.4 %", "343 ms", "–" when absent.
  std::string absent_because;  ///< Set when absent.
};

/// The saving of a change per iteration (rules/claim.h).
struct Saving {
  rules::Basis basis = rules::Basis::kNone;
  Quantity value;    ///< ns; absent if unknown.
  Value low;         ///< ns: its low end; absent without one.
  std::string text;  ///< "saves 48.2 to 59.0 ms", "saving unknown": the same in every output.
  std::string why;   ///< Why it is unknown or not simulated; may be empty.
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
  /// Number of runs that are judged together, of which this is the one with the median time; 0: it
  /// is judged alone.
  std::int64_t runs = 0;
  std::int64_t ranks = 0;
  std::vector<Device> devices;    ///< The first 4 096…
  std::int64_t more_devices = 0;  ///< …and the number of the others.
  /// Vendor of the devices: "nvidia", "amd", "intel", "npu" (Ascend), "neuron", "tpu"; empty:
  /// unknown. model/devices.h has the terms for each.
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
  Value min, max;             ///< The limit in the unit of `measured`; absent: none.
  std::string limit;          ///< "≥ 60 %", "≤ 15 %".
  Quantity margin;            ///< Distance to the limit; positive is within it.
  Quantity baseline, change;  ///< Empty text without a baseline.
  State level = State::kNone;
  State status = State::kNone;
  std::string reason;
  /// The metric or rule that counts this miss instead; empty: this row counts it.
  std::string counted_with;
  /// The recorded number if `measured` is the one without the profiler; else absent.
  Quantity recorded = {};
};

/// A miss that a user accepts, up to a bound.
struct Accepted {
  std::string what;        ///< A metric, a kind of parts, "work" or "policy".
  Quantity change, up_to;  ///< Shares; absent if no number is accepted.
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
  std::string act;  ///< The remedy: "restore it, or let the branch run once".
};

struct VerdictInfo {
  State status = State::kNotJudged;
  /// Counts of limits and findings. Two about one number count once, as the more severe.
  std::int64_t errors = 0, warnings = 0, waived = 0, passed = 0, not_applicable = 0, missing = 0;
  std::int64_t cautions = 0;   ///< Optional limits that stay undecided.
  std::int64_t not_found = 0;  ///< Rules that were evaluated and found nothing.
  std::int64_t open = 0;       ///< Limits and changes that are undecided.
  std::vector<std::string> reasons;
  std::string policy;  ///< Name of the policy.
  /// Origin of the policy: "command line", "job gpt of profgauge.yaml", "no policy was given".
  std::string policy_from;
  std::string config;  ///< The configuration file that was used; empty: none.
  std::vector<Accepted> accepted;
  std::string policy_hash;  ///< Hash of all files of the policy; empty: unknown.
  std::vector<Loosened> loosened;
  std::vector<NoVerdict> no_verdict;  ///< Reasons, if the run has no verdict.
  bool again = false;                 ///< A new profile by itself can resolve all reasons.
  /// For an undecided comparison: its number of profiles, and the number that would decide.
  std::int64_t recordings = 0, needed = 0;
  std::string accept_line;  ///< Would accept all failures: "`Profgauge-Accept: +9.4% REASON`".
};

/// The baseline of the run's comparison.
struct BaselineUse {
  std::string state;   ///< A name from gate::BaselineStateName(): "used", "lost", …
  std::string source;  ///< "history:main~5"; empty: files.
  std::int64_t wanted = 0;
  struct Run {
    std::int64_t id = 0;
    std::string commit, name;
  };
  std::vector<Run> runs;
  std::vector<std::pair<std::int64_t, std::string>> skipped;  ///< Id of the run and the reason.
  std::string level;           ///< "run 48, accepted by anna: wider model"; empty: none.
  std::string anchor;          ///< First run for measuring creep; empty: none.
  std::string learning_until;  ///< "2096-12-14"; empty: there is no learning period.
  std::string line;            ///< The whole baseline in one line.
  std::string mark;            ///< "baseline lost"; empty if it is complete.
  bool warns = false;          ///< A missing baseline that counts as a warning.
};

/// The result of a rule.
struct Finding {
  std::string rule;  ///< "io/dataloader-bound".
  std::string key;   ///< `rule` or `rule@GROUP`, stable between runs; empty in old reports.
  State level = State::kNone;   ///< Its level if it fires.
  State status = State::kNone;  ///< The level if it fired.
  std::string title, message;
  RichText message_parts;              ///< `message` with its parts.
  std::vector<RichText> advice_parts;  ///< `advice` by point.
  Quantity metric;
  std::string metric_of;  ///< The rank etc. of the metric: "rank 3"; empty: the run, or unknown.
  Saving saves;
  std::vector<std::string> explains;
  std::string advice, docs;
  std::string next;  ///< A command that continues the investigation; may be empty.
  std::vector<std::string> evidence_heads;
  std::vector<Unit> evidence_units;
  std::vector<std::vector<Value>> evidence;
  /// Number of rows that the finding concerns; `evidence` has the first. 0 in old reports.
  std::int64_t evidence_of = 0;
  std::string evidence_table;  ///< Table of these rows; empty: none.
  /// Indices of these rows in the table, as far as they are kept. Not in report.json.
  std::vector<std::uint32_t> evidence_rows;
  std::string reason;        ///< Why not applicable, who waived it, …
  std::string counted_with;  ///< The metric whose limit counts this miss instead; empty: none.
  /// Rows for which the rule's condition is unknown; its numbers exclude them.
  std::int64_t rows_unknown = 0;
};

/// A step of the plan: a fix, and the iteration time after it (rules/plan.h).
struct PlanStep {
  /// Rules of one finding, or of two that save time only together.
  std::vector<std::string> rules;
  std::string title;   ///< The fault: title of the first rule.
  std::string change;  ///< The change in a few words; may be empty.
  std::string action;  ///< The first point of the finding's advice; may be empty.
  Quantity time;       ///< ns: iteration time after the step.
  Value high;  ///< ns: the most it may be; absent if only the start is uncertain (rules/plan.h).
  std::string time_text;  ///< "119 ms", "119 to 129 ms".
  Saving saves;           ///< Simulated, after the earlier steps.
  Quantity alone;         ///< ns: without the earlier steps.
  /// False: no finding yet; it may become the bottleneck after earlier steps.
  bool fired = true;
  bool needs_earlier = false;         ///< It saves nothing without the earlier steps.
  std::vector<std::string> findings;  ///< Keys of fired or passed findings of these rules.
};

/// The least possible time of an iteration (rules/floor.cc).
struct Floor {
  /// ns; `reachable`: with the rates that the device reaches instead of its data sheet.
  Quantity time, reachable;
  Quantity counted;            ///< Share of the time of computing kernels whose work is known.
  std::string absent_because;  ///< Why there is no bound; else empty.
};

struct Plan {
  std::vector<PlanStep> steps;
  std::string absent_because;  ///< Why there are no steps; else empty.
  Quantity start, end;
  bool with_pauses = false;            ///< Times include the pauses between iterations.
  Quantity first_calls;                ///< Extra time of first calls, not in `start`; or absent.
  Quantity without_profiler;           ///< The start without the profiler's delay; may be absent.
  std::vector<std::string> no_effect;  ///< Keys of findings that save nothing in any order.
  /// The largest saving that no simulation shows, if it is larger than that of every step: the
  /// title of its finding, "saves about 3.15 ms", and its rule. All or none are empty.
  std::string not_simulated, not_simulated_saves, not_simulated_rule;
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

/// The profile's events, for the timeline of the page. Bulk data: not in report.json.
///
/// Events are sorted by lane, then by start. A lane is one depth of one track, so its events do not
/// overlap.
struct Timeline {
  /// A property of kinds besides name and category: {"layer", "Layer"}.
  struct Facet {
    std::string id, title;
  };
  /// The kind of an event. Events that look equal share one.
  struct Kind {
    std::string name;
    Category category = Category::kOther;  ///< Its color.
    std::string detail;  ///< "grid 160×1×1, block 256, 32 registers" or input shapes; may be empty.
    std::vector<std::string> facets = {};  ///< By Timeline::facets; may be fewer. Empty: none.
    double blocks = 0;                     ///< For a kernel: blocks per SM; 0: unknown.
  };
  struct Track {
    std::string name;   ///< "stream 7", "thread 4711 (main)"
    std::string group;  ///< "GPU 0 Tesla V100", "rank 1 host": tracks of a group are adjacent.
    TrackType type = TrackType::kStream;
    std::int64_t rank = 0;
    /// Tracks of a section fold into one line, and start folded. Empty: no section.
    std::string section = {};
    /// Key for sums over a range: "tensor" for both tracks of that engine. Empty: the name.
    std::string unit = {};
    std::int64_t device = -1;  ///< Number of the GPU or NeuronCore; -1: the host.
  };
  struct Lane {
    std::uint32_t track = 0, depth = 0;
    std::uint32_t begin = 0, end = 0;  ///< Its events.
  };
  /// A value over time, drawn as steps: allocated memory, queued launches.
  struct Counter {
    std::string name, group;
    Unit unit = Unit::kBytes;
    std::int64_t rank = 0;
    double scale = 1;  ///< Factor from a value to `unit`.
    std::vector<Ns> time;
    std::vector<std::int64_t> value;
    std::string section = {};  ///< Like Track::section; a folded section hides them.
    bool line = false;         ///< Drawn as a line; else as an area.
    Ns end = 0;                ///< End of its data: later values are unknown.
    /// Source of its values: points, or the timeline's kernels of `device` at every zoom. kBusy is
    /// the time with a kernel, kBlocks the blocks per SM of running kernels, at most 1.
    enum class Of : std::uint8_t { kPoints, kBusy, kBlocks };
    Of of = Of::kPoints;
    std::int64_t device = -1;
  };
  /// A number of each event: bytes moved, FLOPs.
  struct Amount {
    std::string id, title;
    Unit unit = Unit::kBytes;
    bool adds_up = true;              ///< True if its sum is meaningful.
    std::vector<std::int64_t> value;  ///< One per event; 0 without a value.
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
  std::vector<std::uint32_t> link;  ///< The event that launched a device event, or kNoLink.
  std::vector<Amount> amounts;
  /// Dependencies as (earlier, later) events.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dependencies;
  std::vector<Counter> counters;
  std::vector<Mark> marks;  ///< Those of the command line.
  /// Rank and time that was not recorded, whatever calls or work lie in it: in no category.
  std::vector<std::pair<std::int64_t, Span>> unobserved;
  /// Peak rates of one device, to relate sums to; -1 unknown.
  double peak_flops = -1, peak_bandwidth = -1;
  std::string left_out;  ///< "412 000 host operators shorter than 3 µs"; empty: nothing.
  bool is_cut = false;   ///< Events are left out, so sums of the others say nothing of the run.
  bool empty() const { return start.empty(); }
};

/// The breakdown of single iterations over time, for the first screen of the page. Bulk data, like
/// the timeline.
struct Strip {
  /// Columns of the whole axis; shorter windows have fewer.
  static constexpr std::size_t kColumns = 940;

  struct Window {
    std::string role;  ///< "slowest", "latest"; empty: the only one.
    std::string iteration;
    std::int64_t rank = 0;
    bool host_communicates = false;  ///< Communication is the host's (gloo), not the device's.
    Ns begin = 0, length = 0;        ///< On the axis.
    std::vector<std::array<Ns, kAllCategories>> columns;  ///< Equal parts, in ns by category.
    std::vector<Span> unobserved;  ///< Unobserved time on the axis, which is in no category.
  };
  Ns length = 0;          ///< Length of the axis, which starts at 0.
  bool of_ranks = false;  ///< One iteration of several ranks, on a common clock.
  /// For ranks: kWait is time in which collectives wait for others; if false, it is communication.
  bool knows_waits = false;
  std::vector<Window> windows;
};

/// A property in which two runs differ.
struct Difference {
  std::string property, base, current;
  bool blocks = false;  ///< The difference makes the runs incomparable.
};

/// One metric compared with its baseline.
struct ComparedMetric {
  std::string metric, title;
  Quantity base, current;
  Quantity change, low, high;   ///< The judged change and its 98 % interval; shares if relative.
  Quantity total, total_limit;  ///< Change of the total of all iterations and its limit; shares.
  Quantity chance;              ///< Probability of such a change by chance; a share.
  Quantity sees;               ///< The change that nine of ten such comparisons detect (they fail).
  std::string limit;           ///< "≤ +5 %"; empty: compared without a limit.
  State level = State::kNone;  ///< Level of the limit.
  /// The verdict: open if inconclusive and probably over the limit, not applicable if the runs are
  /// not comparable.
  State result = State::kNone;
  std::string note;  ///< How to decide it, or low confidence; may be empty.
};

/// True if the total of all iterations is over its limit and the typical iteration is within it.
bool IsOfTotal(const ComparedMetric& metric);

/// True if the metric passes although the total of all iterations is over its limit: by a slow
/// start, or by chance.
bool PassesInSpiteOfTotal(const ComparedMetric& metric);

/// A metric of both runs; absent if a run does not have it.
struct PairedValue {
  std::string metric, title;
  Better better = Better::kNeutral;
  Quantity base, current;
  Quantity change;  ///< Relative as a share; for shares, in points; else in the unit.
};

/// One part of the change of the mean iteration time. Parts of one parent sum exactly to it, the
/// top level to Comparison::delta. Times are ns per iteration.
struct ComparisonStep {
  gate::PartLevel level = gate::PartLevel::kCategory;
  std::string name;          ///< "new ← old" for a renamed kernel.
  std::int64_t parent = -1;  ///< Index of its parent; -1 at the top.
  gate::PartChange change = gate::PartChange::kChanged;
  std::int64_t base = 0, current = 0;
  std::int64_t delta = 0;  ///< count_effect + duration_effect.
  std::int64_t count_effect = 0, duration_effect = 0;
  double base_count = 0, current_count = 0;  ///< Number per iteration.
  bool significant = false;                  ///< Never for two runs, which do not show their noise.
};

/// A kernel, copy or operator in both runs, per iteration; concurrent work counts separately.
struct PairedWork {
  std::string name;  ///< "new ← old" for a renamed kernel.
  gate::PartChange change = gate::PartChange::kChanged;
  double base_count = 0, current_count = 0;
  std::int64_t base = 0, current = 0;            ///< ns; see PairedTable::measure.
  std::int64_t base_host = 0, current_host = 0;  ///< An operator's own host time.
  std::int64_t delta = 0, count_effect = 0, duration_effect = 0;
  Value p_value;  ///< Absent: not tested, e.g. for two runs.
  bool significant = false;
};

struct PairedTable {
  Measure measure = Measure::kGpuTime;
  std::int64_t base = 0, current = 0, delta = 0;  ///< The rows' deltas sum exactly to `delta`.
  std::vector<PairedWork> rows;                   ///< Largest |delta| first; may be empty.
};

/// The kind of movement that explains a missed limit (gate/movement.h).
struct Movement {
  gate::MovementKind kind = gate::MovementKind::kUnknown;
  std::string text;                   ///< One sentence, without its end.
  std::vector<std::string> evidence;  ///< Other differences, one clause each.
};

/// The changes against a baseline.
struct Comparison {
  std::string baseline;            ///< Name of the run that the waterfall starts from.
  std::string candidate;           ///< Name of the run that it ends at.
  std::int64_t baseline_runs = 0;  ///< Number of runs in the baseline.
  std::int64_t current_runs = 1;   ///< Number of runs compared with it.
  bool comparable = true;
  std::vector<Difference> differences;
  std::vector<std::pair<std::string, std::string>> alike;  ///< Properties that all runs share.
  std::string accelerator;  ///< Accelerator of both runs, like ProfileInfo's; the comparison uses
                            ///< its words.
  std::string work;         ///< "same", "changed", "less", … of gate/work.h.
  std::string work_gone, work_come;  ///< Work of only one side, with names and shares.
  std::string benchmarks;  ///< How many are slower and faster: one sentence, without its end.
  std::string slow_rank;   ///< The rank that became slower than the others, and how much; or empty.
  std::int64_t rank = -1;  ///< Rank that the waterfall describes; -1: the run.
  std::vector<ComparedMetric> metrics;
  std::vector<PairedValue> values;
  std::int64_t base = 0, current = 0, delta = 0;  ///< Mean iteration time, ns.
  std::vector<ComparisonStep> waterfall;
  PairedTable kernels, ops;
  std::optional<Movement> movement;  ///< Only if a limit on a change is missed.
};

/// Rows that the report had when it was made and that report.json omits.
struct LeftOutTable {
  std::string id, title;
  std::int64_t rows = 0;  ///< Number of omitted rows.
};

struct Report {
  int schema = kSchema;
  std::string tool;  ///< "profgauge 0.1.0"
  ProfileInfo profile;
  VerdictInfo verdict;
  std::vector<GateRow> gate;
  std::vector<Metric> metrics;
  std::vector<Finding> findings;
  std::optional<Plan> plan;  ///< Only if rules were evaluated.
  std::vector<Table> tables;
  std::vector<std::pair<std::string, std::string>> absent_tables;  ///< id, reason.
  std::vector<LeftOutTable> left_out;    ///< Only in a report that was read from report.json.
  std::optional<Comparison> comparison;  ///< Only with a baseline.
  std::optional<BaselineUse> baseline;   ///< Only if a baseline was requested, by call or policy.
  std::vector<Remark> remarks;
  Certificate recording;              ///< Checks of whether the profile can be trusted.
  std::vector<ImportCounter> import;  ///< Only counters above zero.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> provenance;
  Timeline timeline;  ///< Empty if not requested, or if read from report.json.
  Strip strip;        ///< Empty in the same cases as the timeline.
};

/// Finds a metric by its id; nullptr: none.
const Metric* FindMetricById(const Report& report, std::string_view id);
const Table* FindTableById(const Report& report, std::string_view id);
/// True if the finding fired, i.e. its status is a level.
bool HasFired(const Finding& finding);
/// Returns the fired finding that explains this fired one, or nullptr. RankFindings() puts a cause
/// before its symptoms; all of them share one saving.
const Finding* CauseOf(const Report& report, const Finding& finding);

/// The interval on the timeline of a row of evidence; rank -1: unknown.
struct Interval {
  Ns start = 0, end = 0;
  std::int64_t rank = -1;
};
/// Reads the columns "Start", "Length" or "Duration", and "Rank" of `row`; nothing without them.
std::optional<Interval> FindInterval(const Finding& finding, const std::vector<Value>& row);

/// The text quoted as one word of a shell command.
std::string ShellWord(std::string_view text);

/// Returns the rows of a table that report.json has, in their order: no bulk data (one row per
/// event), the 1 000 longest idle gaps, the first tree of operators, and all other rows; of a table
/// with more than 10 000 rows, those with most time.
std::vector<std::size_t> RowsInJson(const Table& table);
/// The number of rows that report.json has, without selecting them.
std::size_t CountRowsInJson(const Table& table);

/// True for nested rows: the table has the columns node, parent and depth.
bool IsTree(const Table& table);

/// Number of rows in the first tree of `op_tree`: of one rank's iteration nearest the median.
std::size_t RowsOfFirstTree(const Table& table);

/// One part of the exclusive breakdown of iteration time, in the order of its priority.
struct BreakdownPart {
  Category category = Category::kOther;
  std::string title;  ///< "Tensor Core kernels", like the metric.
  const Metric* share = nullptr;
  const Metric* time = nullptr;
};
/// All parts of the report's breakdown, including those of 0; empty without a breakdown.
std::vector<BreakdownPart> Breakdown(const Report& report);
/// Number of iterations, over all ranks, in the breakdown's times. At least 1.
std::int64_t SummedIterations(const Report& report);

}  // namespace profgauge::report
