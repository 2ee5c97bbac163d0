#include "cli/gone.h"

#include <fmt/core.h>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::cli {
namespace {

constexpr Gone kGone[] = {
    {"find", "", "write `profgauge inspect DIR`, which lists the runs below a folder"},
    {"duet", "", "write `python -m profgauge.duet -a CMD -b CMD -o DIR`"},
    {"baseline promote", "",
     "write `profgauge history add PROFILE`, and compare with `--baseline history:main~N`"},
    {"history tag", "", "write `profgauge history accept RUN --reason NAME`"},
    {"history trend", "", "write `profgauge history list`, with `--html FILE` for the page"},
    {"history export", "", "write `profgauge history list --format csv`"},
    {"templates export", "", "there are no templates of users any more"},
    {"PROFGAUGE_BASELINE_MISSING", "", "write `baseline: {{missing: WHAT}}` into the policy"},
    {"PROFGAUGE_NOW", "", "set SOURCE_DATE_EPOCH, in seconds since 1970"},
    {"--html-dir", "*", "write `--write html-dir={}`", "DIR"},
    {"--md-summary", "*", "write `--write summary={}`"},
    {"--text", "*", "write `--write text={}`"},
    {"--step-summary", "*", "write `--write step-summary`"},
    {"--junit", "*", "write `--write junit={}`"},
    {"--sarif", "*", "write `--write sarif={}`"},
    {"--github", "*", "write `--write github={}`"},
    {"--gitlab", "*", "write `--write code-quality={}`"},
    {"--openmetrics", "*", "write `--write metrics={}`"},
    {"--pgsum", "*", "write `--write pgsum={}`"},
    {"--emit-trace", "*", "write `--write trace={}`"},
    {"--verdict", "*", "write `--write verdict={}`"},
    {"--file", "query", "pass `-` for the statement, and the file as standard input"},
    {"--file", "*", "write `--out {}`"},
    {"--output", "*", "write `--out {}`"},
    {"--warmup", "*", "write `--iter-start {}`: positions begin at 0", "N"},
    {"--mark", "*", "write `--marks {}`", "NAME=TIME"},
    {"--step-unit", "*", "write `--step-times FILE:COLUMN:UNIT`"},
    {"--step-column", "*", "write `--step-times FILE:COLUMN:UNIT`"},
    {"--step-tag", "*", "write `--step-times FILE:COLUMN:UNIT`, with the tag as the column"},
    {"--step", "*", "name the folder of that step, as `profgauge inspect DIR` lists it"},
    {"--finding", "*", "write `--scale {}`", "RULE"},
    {"--without-waiting", "*", "write `--scale waiting`"},
    {"--no-config", "*", "write `--config none`"},
    {"--now", "*", "set SOURCE_DATE_EPOCH, in seconds since 1970"},
    {"--allow-incomparable", "*", "write `baseline: {{match: any}}` into the policy"},
    {"--allow-long-waivers", "*", "write `long: true` into the waiver"},
    {"--baseline-missing", "*", "write `baseline: {{missing: {}}}` into the policy", "WHAT"},
    {"--exit-map", "*",
     "examples/ci/README.md has three lines of shell that map the exit codes for git bisect"},
    {"--repository", "*", "paths in alerts start at the working tree of the policy"},
    {"--templates", "*", "there are no templates of users any more"},
    {"--expand", "*", "there are no templates of rules any more: the rule is as its file has it"},
    {"--pyprof-dialect", "*", "only the corrected formulas are left"},
    {"--stats", "*", "write `-v`: it ends with the table of phases"},
    {"--raw", "*", "write `--format csv`"},
    {"--max-rows", "*", "write `limit {}` at the end of the statement", "N"},
    {"--gzip", "*", "write `--format parquet`, which is compressed, or run gzip on the files"},
    {"--no-events", "*", "write `--tables report`"},
    {"--width", "*", "set COLUMNS={}", "N"},
    {"--metric", "*", "`history check` checks the policy's limits under `baseline:`"},
    {"--undo", "*", "write `profgauge history remove level:{}`", "ID"},
    {"--max-bytes", "*", "an answer has at most 20000 bytes"},
    {"--code", "*", "write `--redact=code`"},
    {"--aa", "*", "write `python -m profgauge.duet --aa CMD -o DIR`"},
    {"--blocks", "*", "write `python -m profgauge.duet --blocks {}`", "N"},
    {"--command-a", "*", "write `python -m profgauge.duet -a CMD -b CMD -o DIR`"},
    {"--command-b", "*", "write `python -m profgauge.duet -a CMD -b CMD -o DIR`"},
    {"--steps", "*", "write `python -m profgauge.duet --steps {}`", "N"},
};

Error GoneError(const Gone& gone, std::string_view value) {
  const std::string shown = value.empty() ? std::string(gone.otherwise) : Printable(value);
  return UsageError("usage/gone", fmt::format("`{}` is gone", gone.name),
                    fmt::format(fmt::runtime(gone.help), shown));
}

}  // namespace

std::span<const Gone> AllGone() { return kGone; }

std::optional<Error> GoneCommand(std::span<const std::string> args) {
  for (const Gone& gone : kGone) {
    if (!gone.command.empty() || args.empty()) continue;
    const bool is_it =
        gone.name == args[0] || (args.size() > 1 && gone.name == args[0] + " " + args[1]);
    if (is_it) return GoneError(gone, {});
  }
  return std::nullopt;
}

std::optional<Error> GoneOption(std::string_view command, std::string_view name,
                                std::string_view value) {
  for (const Gone& gone : kGone) {
    const bool is_of = gone.command == "*" || gone.command == command;
    if (gone.name == name && is_of) return GoneError(gone, value);
  }
  return std::nullopt;
}

}  // namespace profgauge::cli
