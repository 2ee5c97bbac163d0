// Options of what is compared with what, and how the result becomes an exit code.
//
// --accept takes a reason and needs an owner, so that a report can name both. Rows: see
// options_outputs.cc.
#include "cli/option_tables.h"

#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
namespace {

using Group = OptionGroup;

// An empty reason means no reason: CI passes on an unset variable.
Status SetAccept(Options& options, const OptionSpec&, const std::string& value) {
  options.accept = value;
  return {};
}

constexpr OptionSpec kJudgingOptions[] = {
    {"--db", "", "FILE", Group::kJudging,
     kOnHistory | kOnJudging | kOnCompare | kOnBaseline | kOnMcp | kOnQuery,
     "The history (default: profgauge-history.db)", "", SetText<&Options::db>},
    {"--branch", "", "NAME", Group::kJudging, kOnHistoryAdd, "Branch to add to (default: main)", "",
     SetText<&Options::branch>, false, "", kAsBrief},
    {"--branch", "", "NAME", Group::kJudging, kOnHistory & ~std::uint64_t{kOnHistoryAdd},
     "Only runs of this branch; `history list` takes `*`: a trend of each", "",
     SetText<&Options::branch>, false, "", kAsBrief},
    {"--commit", "", "ID", Group::kJudging, kOnHistoryAdd, "The commit of the run", "",
     SetText<&Options::commit>, false, "", kAsBrief},
    {"--model", "", "NAME", Group::kJudging, kOnHistoryAdd,
     "The model of the run: runs of other models are not its baseline", "",
     SetText<&Options::model>},
    {"--model", "", "NAME", Group::kJudging, kOnHistoryList, "List the runs of this model", "",
     SetText<&Options::model>},
    {"--last", "", "N", Group::kJudging, kOnHistoryList,
     "List the newest N runs (default: 50, in pages and JSON 500, in rows all; 0: all)", "",
     SetIndex<&Options::last>, false, "", kAsBrief},
    {"--good", "", "COMMIT", Group::kJudging, kOnHistoryBisect, "A commit before the step", "",
     SetText<&Options::good>, false, "", kAsBrief},
    {"--bad", "", "COMMIT", Group::kJudging, kOnHistoryBisect,
     "A commit after it: the last of the list", "", SetText<&Options::bad>, false, "", kAsBrief},
    {"--metric", "", "ID", Group::kJudging, kOnHistoryBisect,
     "The metric that steps (default: iteration.time.median)", "", SetText<&Options::metric>, false,
     "", kAsBrief},
    {"--skip", "", "COMMIT", Group::kJudging, kOnHistoryBisect,
     "A commit that cannot be measured; may be repeated", "", AddText<&Options::skip>, true, "",
     kAsBrief},
    {"--verdict", "", "FILE", Group::kJudging, kOnHistoryAdd,
     "The run's verdict: report.json of its check",
     "A failed run is kept, but it is no baseline until it is accepted.",
     SetText<&Options::verdict>, false, "", kAsBrief},
    {"--accept", "", "REASON", Group::kJudging, kOnHistoryAdd,
     "Accept the run's speed as the new level",
     "Later runs are compared with it and with the runs after it.", SetAccept, false, "", kAsBrief},
    {"--accept", "", "REASON", Group::kJudging, kOnBaselineSave,
     "Replace a baseline that did more work", "", SetAccept, false, "", kAsBrief},
    {"--reason", "", "TEXT", Group::kJudging, kOnHistoryAccept, "Why the change is accepted", "",
     SetText<&Options::reason>, false, "", kAsBrief},
    {"--owner", "", "WHO", Group::kJudging, kOnHistoryAccept | kOnHistoryAdd,
     "Who accepts (default: PROFGAUGE_OWNER, else who started the CI run)", "",
     SetText<&Options::owner>, false, "", kAsBrief},
    {"--until", "", "DAY", Group::kJudging, kOnHistoryAccept,
     "The last day of the level, at most 365 days ahead", "", SetText<&Options::until>, false, "",
     kAsBrief},
    {"--policy", "-p", "FILE", Group::kJudging,
     kOnJudging | kOnCompare | kOnWhatIf | kOnRulesExplain | kOnSummarize | kOnBaselineSave |
         kOnTables | kOnMcp | kOnHistoryAdd | kOnHistoryAccept | kOnHistoryCheck | kOnBaselinePower,
     "Policy: a YAML file, or builtin:NAME",
     "builtin:recommended (default), builtin:strict, builtin:report-only, builtin:cpu (default if "
     "the program used no GPU). Baselines, histories and summaries use its `iterations`, "
     "`tensor_core` and `devices`, so "
     "that "
     "runs are compared as they are judged.",
     SetText<&Options::policy>, false,
     "builtin:recommended builtin:strict builtin:report-only builtin:cpu", kAsBrief},
    {"--project", "", "", Group::kJudging, kOnInit,
     "Also write profgauge.yaml and, if the CI system is known, a CI file that starts `check`",
     "A file that exists stays as it is.", SetTrue<&Options::project>, false, "", kAsBrief},
    {"--ci", "", "SYSTEM", Group::kJudging, kOnInit,
     "CI system of --project: auto (default, by .git/config), github, gitlab, jenkins or off", "",
     SetChoice<&Options::ci>, false, "auto github gitlab jenkins off", kAsBrief},
    {"--config", "", "FILE", Group::kJudging, kOnConfigured,
     "Configuration, or none (default: profgauge.yaml, here or above up to the folder with .git)",
     "It names policy, history, baseline and jobs; `profgauge schema config` describes it. Options "
     "and PROFGAUGE_… variables have precedence. A file called none is ./none.",
     SetText<&Options::config>},
    {"--job", "", "NAME", Group::kJudging, kOnConfigured,
     "Judge this job of profgauge.yaml; may be repeated",
     "With a profile: judge it with the settings of this job.", AddText<&Options::job>, true},
    {"--root", "", "DIR", Group::kJudging, kOnMcp,
     "Folder that agents may read; may be repeated (default: the repository, else this folder)", "",
     AddText<&Options::roots>, true, "", kAsBrief},
    {"--per-rank", "", "", Group::kJudging, kOnQuery,
     "Run the statement for one rank after the other, with one of them in memory",
     "Aggregates are of each rank; results follow each other, ordered by rank.",
     SetTrue<&Options::per_rank>, false, "", kAsBrief},
    {"--then", "", "SQL", Group::kJudging, kOnQuery,
     "With --per-rank: a statement over the results of all ranks, the table `rows`", "",
     SetText<&Options::then>},
    {"--param", "", "NAME=VALUE", Group::kJudging, kOnQuery,
     "Value of `:NAME` in the statement; may be repeated", "", AddText<&Options::parameters>, true,
     "", kAsBrief},
    {"--timeout", "", "TIME", Group::kJudging, kOnQuery | kOnMcp,
     "Stop a statement after this time (default: 60s)", "Reading the profile does not count.",
     SetTimeout},
    {"--scale", "", "CHANGE", Group::kJudging, kOnWhatIf,
     "Scenario `[NAME: ]CONDITION by FACTOR`, the id of a rule, or waiting; may be repeated",
     "The condition is written in the rules' language, over one kind of rows. `host_op`: name, "
     "type, "
     "module, thread, iteration, time. `api_call`: also kind, op. `launch`: its table's columns, "
     "tensor_core_eligible, is_collective, module, target. `host_gap`, host work while a device "
     "idles: cause, doing, category, time. The selected work takes FACTOR times as long. With the "
     "id of a rule its "
     "finding is fixed, by the scenario of its gain. With waiting no rank waits in collectives, "
     "which needs the profiles of all ranks of a group.",
     AddText<&Options::scales>, true, "", kAsBrief},
    {"--plan", "", "", Group::kJudging, kOnWhatIf,
     "List the findings to fix in order, with the savings of each given those before it", "",
     SetTrue<&Options::plan>, false, "", kAsBrief},
    {"--baseline", "", "FILE", Group::kJudging, kOnJudging,
     "Baseline to compare with; may be repeated for several runs",
     "FILE is a baseline (`baseline save`), `history:BRANCH~N` for the last N runs of a branch, or "
     "a profile. Without a `baseline:` block in the policy the median iteration time may grow by "
     "5 %.",
     AddText<&Options::baselines>, true, "",
     "Compare with a baseline, a profile, or history:BRANCH~N"},
    {"--fail-on", "", "LEVEL", Group::kJudging, kOnCheck | kOnCompare,
     "Fail at this level: error, warn or never; overrides the policy", "",
     SetChoice<&Options::fail_on>, false, "error warn never", "Fail at error, warn or never"},
    {"--label", "", "NAME=VALUE", Group::kJudging, kOnJudging | kOnHistoryAdd,
     "Add a label to the run and to its metrics in `--write metrics`; may be repeated",
     "The report and the history have it in the run's environment. `labels` of profgauge.yaml has "
     "them too.",
     AddLabel, true},
    {"--commit", "", "ID", Group::kJudging, kOnJudging, "The commit of the run",
     "Runs of the same commit are not its baseline.", SetText<&Options::commit>},
    {"--model", "", "NAME", Group::kJudging, kOnJudging,
     "The model of the run: runs of other models are not its baseline", "",
     SetText<&Options::model>},
    {"--accept", "", "REASON", Group::kJudging, kOnCheck,
     "Accept an intended change: failed baseline limits count as passed", "", SetAccept, false, "",
     "Accept an intended change"},
    {"--owner", "", "WHO", Group::kJudging, kOnCheck,
     "Who accepts (default: PROFGAUGE_OWNER, else who started the CI run)", "",
     SetText<&Options::owner>},
    {"--paired", "", "", Group::kJudging, kOnCheck,
     "Compare pairs: the first run with the first baseline, and so on",
     "For runs recorded alternately on one machine, A B B A A B. At least three pairs are needed; "
     "use five.",
     SetTrue<&Options::paired>},
    {"--force", "", "", Group::kJudging, kOnBaselineSave | kOnHistoryAdd,
     "Allow runs with different formats, devices or world sizes",
     "`baseline save` also replaces a file that is no baseline, unless it is an input.",
     SetTrue<&Options::force>},
    {"--exit-zero", "", "", Group::kJudging, kOnCheck | kOnCompare, "Exit 0 instead of 1 and 3", "",
     SetTrue<&Options::exit_zero>},
    {"--allow-incomplete", "", "", Group::kJudging, kOnReading,
     "Judge truncated profiles (default: no verdict, exit 3)", "",
     SetTrue<&Options::allow_incomplete>, false, "", "Judge truncated profiles"},
};

}  // namespace

std::span<const OptionSpec> JudgingOptions() { return kJudgingOptions; }

}  // namespace profgauge::cli
