// What each key of the configuration files is for: in schemas and manual pages. A test holds that
// every key of the decoders has its line here, and that none is left over.
#include <algorithm>
#include <span>

#include "rules/shape.h"

namespace profgauge {
namespace {

struct Doc {
  std::string_view what, key, text;
};

constexpr std::string_view kLevelDoc = "how much it counts: info, warn or error";

constexpr std::string_view kPolicyDoc = "the policy: a file, or builtin:NAME";
constexpr std::string_view kDbDoc = "the history";
constexpr std::string_view kBaselineDoc =
    "runs to compare with: history:BRANCH~N, a baseline or a profile";
constexpr std::string_view kRanksDoc = "how files become ranks of one run";

constexpr Doc kDocs[] = {
    {"a policy", "schema", "the version of this kind of file"},
    {"a policy", "extends", "policies that come first; built-in ones are builtin:NAME"},
    {"a policy", "fail_on", "the level at which the run fails"},
    {"a policy", "on_missing", "what a limit without a value means"},
    {"a policy", "on_inconclusive",
     "what a comparison means that can be neither passed nor failed"},
    {"a policy", "unrecorded",
     "whether the times of unrecorded iterations judge instead of recorded ones"},
    {"a policy", "iterations", "which iterations are judged"},
    {"a policy", "ranks", "how many ranks a run must have"},
    {"a policy", "rules", "settings of rules, by id or pattern: a level, or a mapping"},
    {"a policy", "rule_files", "rule files of the project's own, from the policy's folder"},
    {"a policy", "thresholds", "limits on metrics; `off` takes away an extended policy's"},
    {"a policy", "thresholds_of_analysis", "numbers that the analysis decides by"},
    {"a policy", "baseline", "how much metrics may change from the baseline"},
    {"a policy", "require", "rules that must apply"},
    {"a policy", "waivers", "findings that are accepted until a day"},
    {"a policy", "tensor_core", "which kernels count as using Tensor Cores"},
    {"a policy", "devices", "a file with peaks of devices"},

    {"`iterations`", "marker", "a regular expression for the ranges that mark iterations"},
    {"`iterations`", "key_op", "the op that begins an iteration"},
    {"`iterations`", "start", "the first iteration, counted from 0"},
    {"`iterations`", "stop", "the last iteration"},
    {"`iterations`", "warmup", "how many iterations to leave out at the start"},
    {"`iterations`", "min", "the fewest iterations that allow a verdict"},

    {"`ranks`", "expect", "how many; default: as many as the recordings tell of"},
    {"`ranks`", "allow_missing", "how many may be missing"},
    {"`ranks`", "on_missing", "what it means when more are; default: no_verdict"},

    {"a rule's setting", "level", "the rule's level; off: it is not run"},
    {"a rule's setting", "params", "parameters of the rule"},

    {"a limit", "min", "the least that is allowed"},
    {"a limit", "max", "the most that is allowed"},
    {"a limit", "side", "any: limiting the good side of the metric is intended"},
    {"a limit", "level", kLevelDoc},
    {"a limit", "on_missing", "what it means when the metric has no value"},
    {"a limit", "when", "a condition: without it the limit always stands"},

    {"`baseline`", "match", "properties that must be the same; any: none"},
    {"`baseline`", "missing", "outcome where there is no baseline; default: warn of a history"},
    {"`baseline`", "min_runs", "fewer runs count as no baseline; default: 1"},
    {"`baseline`", "anchor", "start of creep: off, the name of a release, or a separate limit"},
    {"`baseline`", "confirm", "whether a failure asks for a second run"},
    {"`baseline`", "kernels", "limit on each kernel's time by itself, from 5 baseline runs on"},
    {"`baseline`", "operators", "limit on each operator's time by itself"},
    {"a limit on parts", "max_increase", "in percent; default: 3 %"},
    {"a limit on parts", "min_share",
     "smallest part of the iteration that is judged; default: 1 %"},
    {"a limit on parts", "level", kLevelDoc},
    {"`anchor`", "max_increase", "limit on the change since the anchor"},
    {"`baseline`", "noise_floor", "changes below it are noise"},
    {"`baseline`", "strictness", "certain: only what is certain fails"},
    {"a baseline limit", "max_increase",
     "in percent of the baseline's value (of a share, too), or in the metric's unit (of a share: "
     "0.05 "
     "is 5 points)"},
    {"a baseline limit", "max_decrease",
     "in percent of the baseline's value (of a share, too), or in the metric's unit (of a share: "
     "0.05 "
     "is 5 points)"},
    {"a baseline limit", "min_abs", "smaller changes pass, whatever the percentage"},
    {"a baseline limit", "total",
     "limit on what all iterations take together, of a typical time; off: it is not judged"},
    {"a baseline limit", "side", "any: limiting the good side is intended"},
    {"a baseline limit", "level", kLevelDoc},

    {"`gain`", "scenario", "what the finding's cause would take instead: its effect is replayed"},
    {"`gain`", "without_waiting",
     "whether collectives that the scenario selects wait for no rank either, where that is known"},
    {"a policy", "what_if", "scenarios whose effect a replay predicts"},
    {"a scenario", "name",
     "its metrics are what_if.NAME.iteration_time and what_if.NAME.gain_share"},
    {"a scenario", "scale", "what takes another time"},
    {"a scenario", "without_waiting", "whether collectives wait for no rank"},
    {"a change", "where", "a condition on host_op, api_call or launch"},
    {"a change", "by", "the factor of its time, at least 0"},
    {"a waiver", "rule", "the rule whose findings are accepted"},
    {"a waiver", "limit", "the metric of a `baseline` limit whose miss is accepted"},
    {"a waiver", "threshold", "the metric of a threshold whose miss is accepted"},
    {"a waiver", "up_to", "how far it holds: a change in percent, or a value"},
    {"a waiver", "where", "only findings for which this holds"},
    {"a waiver", "reason", "why"},
    {"a waiver", "owner", "who will see to it"},
    {"a waiver", "expires", "the day it ends, as in 2027-03-31"},

    {"`tensor_core`", "unknown", "what an undecided kernel counts as"},
    {"`tensor_core`", "names", "a file with names of the project's kernels"},

    {"a rule file", "schema", "the version of this kind of file"},
    {"a rule file", "namespace", "what the ids of its rules begin with"},
    {"a rule file", "rules", "the rules"},
    {"a rule", "id", "its name in the namespace: small letters, digits, `-`"},
    {"a rule", "title", "one line; may name parts of the device: {{ device.core }}"},
    {"a rule", "category", "what it is about"},
    {"a rule", "formerly", "ids that it had"},
    {"a rule", "for_each", "the rows that it looks at, e.g. `kernel`; `profile`: once"},
    {"a rule", "needs", "what the recording must have, else the rule does not apply"},
    {"a rule", "params", "numbers that a policy may set"},
    {"a rule", "where", "which rows"},
    {"a rule", "group_by", "rows with the same values are one finding"},
    {"a rule", "report", "of several groups: the worst, or each"},
    {"a rule", "let", "names for expressions"},
    {"a rule", "when", "fires only if this holds"},
    {"a rule", "metric", "what is measured, and its limits"},
    {"a rule", "sure_when",
     "an error counts only if this holds; else it warns and leaves the verdict open"},
    {"a rule", "level", "the level of a rule without limits on its metric"},
    {"a rule", "gain", "the time that could be won"},
    {"a rule", "evidence", "the rows to show"},
    {"a rule", "explains", "rules whose findings are consequences of this one"},
    {"a rule", "explains_when", "the same, each with the condition under which they are"},
    {"a rule", "message", "what happened, with {{ expressions }}"},
    {"a rule", "advice", "what to do, with {{ expressions }}"},
    {"a rule", "docs", "where to read more"},
    {"a parameter", "default", "its value where a policy sets none"},
    {"a parameter", "doc", "what it means"},
    {"`metric`", "value", "an expression"},
    {"`metric`", "show_as", "how the value is written"},
    {"`metric`", "warn_above", "an expression; more is a warning"},
    {"`metric`", "error_above", "an expression; more is an error"},
    {"`metric`", "warn_below", "an expression; less is a warning"},
    {"`metric`", "error_below", "an expression; less is an error"},
    {"`gain`", "value", "an expression for the time"},
    {"`gain`", "bound", "what kind of estimate it is"},
    {"`gain`", "why", "why that much"},
    {"`evidence`", "order_by", "an expression; the largest first"},
    {"`evidence`", "limit", "the most rows"},
    {"`evidence`", "columns", "what to show of each row"},
    {"a column", "head", "its head; may name parts of the device, as a title does"},
    {"a column", "value", "an expression"},
    {"a column", "show_as", "how the value is written"},
    {"a column", "style", "code: in a fixed-width font"},

    {"a test file", "schema", "the version of this kind of file"},
    {"a test file", "rules", "the rule files that are tested"},
    {"a test file", "tests", "the tests"},
    {"a test", "name", "what it shows"},
    {"a test", "given", "metrics, facts and rows; everything else is absent"},
    {"a test", "params", "parameters, by rule"},
    {"a test", "expect", "what the rules come to"},
    {"an expectation", "rule", "the rule"},
    {"an expectation", "level", "the level that it fires at"},
    {"an expectation", "status", "what becomes of it"},
    {"an expectation", "metric", "the value, to the digits written"},
    {"an expectation", "gain", "the time that could be won"},
    {"an expectation", "rows", "how many rows of evidence"},
    {"an expectation", "message", "the message, or contains '…', starts_with, ends_with, matches"},
    {"an expectation", "advice", "the advice, likewise, or not contains '…'"},
    {"an expectation", "because", "why it does not apply"},
    {"a metric", "absent", "why it has no value"},
    {"a metric", "value", "its value"},
    {"a metric", "low_confidence", "why it is uncertain"},

    {"a file of devices", "schema", "the version of this kind of file"},
    {"a file of devices", "devices", "the devices; the first that matches counts"},
    {"a device", "match", "a part of the device's name"},
    {"a device", "name", "what reports call it"},
    {"a device", "compute_capability", "as in 9.0"},
    {"a device", "sms", "how many multiprocessors"},
    {"a device", "memory", "its size"},
    {"a device", "max_threads_per_sm", "the most resident threads of a multiprocessor"},
    {"a device", "warp_size", "threads of a warp"},
    {"a device", "memory_bandwidth", "its peak"},
    {"a device", "peak", "peak rates of operations, by type"},
    {"`peak`", "float64", "64-bit floats"},
    {"`peak`", "float64_matrix", "64-bit floats in products, where they run faster"},
    {"`peak`", "float32", "32-bit floats"},
    {"`peak`", "float32_matrix", "32-bit floats in products, where they run faster"},
    {"`peak`", "tf32", "TF32"},
    {"`peak`", "float16", "16-bit floats"},
    {"`peak`", "bfloat16", "bfloat16"},
    {"`peak`", "float8", "8-bit floats"},
    {"`peak`", "int8", "8-bit integers"},

    {"a configuration", "schema", "the version of this kind of file"},
    {"a configuration", "policy", kPolicyDoc},
    {"a configuration", "db", kDbDoc},
    {"a configuration", "baseline", kBaselineDoc},
    {"a configuration", "ranks", kRanksDoc},
    {"a configuration", "jobs", "the runs that `profgauge check` judges without a profile"},
    {"a job", "name", "the name of its run and of its folder of reports"},
    {"a job", "inputs", "profiles or folders; `*` matches part of a name, `**` any folders"},
    {"a job", "take", "the latest run that `inputs` match, or all of them"},
    {"a job", "policy", kPolicyDoc},
    {"a job", "db", kDbDoc},
    {"a job", "baseline", kBaselineDoc},
    {"a job", "ranks", kRanksDoc},

    {"a file of kernel names", "schema", "the version of this kind of file"},
    {"a file of kernel names", "names", "rules for names; the first that matches counts"},
    {"a name rule", "id", "its name in reports"},
    {"a name rule", "matches", "a regular expression for kernel names"},
    {"a name rule", "except", "a regular expression for names to leave out"},
    {"a name rule", "uses_tensor_core", "what such kernels do"},
    {"a name rule", "communication", "whether such kernels move data between ranks, and how"},
};

}  // namespace

std::string_view KeyDoc(std::string_view what, std::string_view key) {
  const auto doc = std::find_if(std::begin(kDocs), std::end(kDocs),
                                [&](const Doc& d) { return d.what == what && d.key == key; });
  return doc == std::end(kDocs) ? std::string_view() : doc->text;
}

}  // namespace profgauge
