// The command line as data: the requested work, and the tables of commands and options. Parser and
// help are both made from these tables, so they cannot contradict each other.
//
// To add an option: add a field to Options and a row to options.cc. To add a command: add a row to
// commands.cc and a function in commands/. An option needs a user and a test.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output_kind.h"
#include "profgauge/error.h"
#include "report/redaction.h"

namespace profgauge::cli {

struct BaseOfBranch;
struct CommandSpec;

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };
/// kShort: `--help`, the options that most users need; kFull: `--help all`.
enum class HelpRequest : std::uint8_t { kNone, kShort, kFull };

/// A parsed command line. Empty strings and nullopt mean "not given".
struct Options {
  const CommandSpec* command = nullptr;
  std::string group;  ///< "baseline": show help for the commands that start with it.
  HelpRequest help = HelpRequest::kNone;
  std::vector<std::string> arguments;  ///< Everything but options: profiles, names, files.
  std::vector<std::pair<std::string, std::string>> runs;  ///< Name and path of each.

  // Outputs. "-" is standard output.
  std::string out_dir;  ///< --out: a folder or a file, whatever the command mainly writes.
  std::string out_top;  ///< The folder of all jobs, if `out_dir` is one job's.
  OutputPaths outputs;
  std::vector<OutputKind> ci_outputs;  ///< Outputs that --ci named, not the user.
  std::string ci;                      ///< "auto", a system's name, "off", or empty for "off".
  std::string repository;              ///< Root of alerts' paths; empty: nearest with a .git.
  report::Redaction redact;
  /// Outputs may replace other files; runs that are stored together may be of different programs.
  bool force = false;
  bool as_json = false;
  std::string timeline = "auto";  ///< "auto", "full" or "off".

  // Options for judging.
  std::string policy;
  std::string
      policy_from;     ///< Who named it: "command line", "PROFGAUGE_POLICY", a job; else empty.
  std::string config;  ///< --config
  std::string config_file;       ///< The configuration that is used.
  std::vector<std::string> job;  ///< --job
  /// The merge base, whose policy counts, too; nullptr if nothing is judged or it is not needed.
  std::shared_ptr<const BaseOfBranch> base;
  bool project = false;  ///< For init: also write a configuration and CI files.
  std::string part;      ///< Share of the files: "2/8".
  std::string run_name;  ///< Name of the run; empty: derived from its files.
  std::string fail_on;   ///< "error", "warn" or "never".
  bool exit_zero = false;
  bool allow_incomplete = false;
  std::vector<std::string> baselines;  ///< Baseline files, `history:…`, or profiles.

  // Options for exports.
  std::string format = "csv";  ///< "csv" or "table".
  std::string columns;
  std::string report;  ///< "cuda_gpu_kern_sum"

  // Options for queries.
  std::vector<std::string> parameters;   ///< NAME=VALUE
  bool per_rank = false;                 ///< One statement per rank, …
  std::string then;                      ///< … and one over the rows of all ranks.
  std::optional<std::int64_t> max_rows;  ///< Rows of an answer to an agent; set by its tool.
  std::optional<std::int64_t> timeout;   ///< ns.
  std::string tables;                    ///< Name patterns, separated by commas; empty: all.
  std::vector<std::string> roots;        ///< Folders that agents may read.
  std::string explain;                   ///< For inspect: "iterations", "classes" or "blame".
  bool list = false;                     ///< Print the saved queries instead of rows.
  bool schema = false;                   ///< Print tables and columns instead of rows.

  // Options for baselines and history.
  std::string db = "profgauge-history.db";  ///< The history.
  std::string branch, commit, model;
  /// Labels of metrics and of the report.
  std::vector<std::pair<std::string, std::string>> labels;
  /// From profgauge.yaml: "pass", "warn", "no_verdict" or "fail"; empty: as in the policy.
  std::string baseline_missing;
  std::string learning_until;        ///< Last day on which a history may be empty; empty: none.
  std::optional<std::int64_t> last;  ///< Number of listed runs; 0: all.
  std::string accept, reason, owner, until, verdict;
  bool paired = false;
  std::string good, bad, metric;  ///< For `history bisect`.
  std::vector<std::string> skip;

  // Options for what-if.
  std::vector<std::string> scales;  ///< "CONDITION by FACTOR", the id of a rule, or "waiting".
  bool plan = false;

  // Times of unrecorded iterations.
  std::string step_times;                ///< FILE, FILE:COLUMN or FILE:COLUMN:UNIT.
  std::vector<std::string> device_logs;  ///< Readings of clocks, power, temperature.
  bool is_found = false;        ///< Arguments were found, not named: do not wait for pipes.
  bool is_one_of_many = false;  ///< Set internally if the ranks of a run are read one by one.

  // Which iterations and ranks.
  std::optional<std::int64_t> iter_start, iter_stop, rank;
  std::optional<std::int64_t> iter_start_number, iter_stop_number;  ///< "#5": as recorded.
  std::optional<std::string> key_op, iteration_marker;
  std::optional<std::int64_t> aggregation;  ///< Aggregation of a DLProf database.
  std::string ranks = "recorded";           ///< "recorded", "as-listed" or "separate".
  // The part of the profile to judge, as text; cli/option_values.h converts it to ns.
  std::string range_text, marks_text, source_root;
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  std::vector<std::pair<std::string, std::int64_t>> marks;

  // General options.
  unsigned jobs = 0;                       ///< 0: one per core.
  std::optional<std::int64_t> max_memory;  ///< Bytes.
  int verbosity = 0;                       ///< -1 quiet, 1 verbose.
  ColorChoice color = ColorChoice::kAuto;

  /// The options that were given, on the command line or by a variable.
  std::vector<std::string_view> given, by_variable;
  /// True if the option was given on the command line or by a variable PROFGAUGE_…. A value from
  /// profgauge.yaml does not count.
  bool IsGiven(std::string_view option) const;
  /// True if the option is on the command line itself, which takes precedence over a variable.
  bool IsOnCommandLine(std::string_view option) const;
};

/// Sections of the help text, in the order shown.
enum class OptionGroup : std::uint8_t { kOutputs, kJudging, kSelection, kGeneral };

/// One option. `commands` has the commands that accept it.
struct OptionSpec {
  std::string_view name;       ///< "--policy"
  std::string_view shorthand;  ///< "-q", or empty.
  std::string_view value;      ///< "FILE"; empty: a switch.
  OptionGroup group = OptionGroup::kGeneral;
  std::uint64_t commands = 0;  ///< Bits of CommandBit.
  std::string_view brief;      ///< One line.
  std::string_view detail;     ///< More, for `--help all`; may be empty.
  /// Stores `value` in the options. Errors: kUsage "usage/bad-value".
  Status (*apply)(Options& options, const OptionSpec& self, const std::string& value) = nullptr;
  bool repeats = false;  ///< It may be given several times; each value calls `apply`.
  /// The words for `value`, separated by blanks, for completion in shells. If the value is a FILE
  /// or a NAME, other values are valid, too. A switch with choices accepts one of them after `=`.
  std::string_view choices = {};
  /// The line in `COMMAND --help`, which shows only the options that most users need. kAsBrief: the
  /// line is `brief`; empty: only `--help all` shows it. Neighbors with equal text share a line.
  std::string_view common = {};
};
inline constexpr std::string_view kAsBrief = "=";
std::span<const OptionSpec> AllOptions();

/// The choices of an option as a list.
std::vector<std::string_view> ChoicesOf(const OptionSpec& option);

// The rows of the options, one table per group. The help text prints groups in this order, and
// their rows in the order of the table.

std::span<const OptionSpec> OutputOptions();
std::span<const OptionSpec> JudgingOptions();
std::span<const OptionSpec> SelectionOptions();  ///< Also reading and general options.

}  // namespace profgauge::cli
