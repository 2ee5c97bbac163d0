#include "cli/gone.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>

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
    {"--output", "*", "outputs go to the folder of `--out`: write `--out {}`"},
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

// Words that newcomers type because similar programs have them. Words with the same answer are in
// one row, separated by blanks.
constexpr std::string_view kJudge = "judge a profile: `profgauge check PROFILE`";
constexpr std::string_view kPage =
    "make a page: `profgauge check PROFILE --html FILE`; with all formats: `--out DIR`";
constexpr std::string_view kRecord =
    "ProfGauge records nothing; examples/training/README.md has the call of the profiler";
constexpr std::string_view kOut =
    "outputs go to the folder of `--out`; one file is written by `--html FILE`, `--json FILE` …";
constexpr Gone kGuessed[] = {
    {"diff", "", "compare two runs: `profgauge compare BASE CURRENT`"},
    {"explain why", "", "show a rule: `profgauge rules explain ID PROFILE`"},
    {"analyze analyse judge run test gate lint validate verify assert", "", kJudge},
    {"view show open html serve-report visualize visualise plot dashboard timeline flamegraph "
     "tensorboard ui web",
     "", kPage},
    {"record profile capture trace start python python3 torchrun launch exec", "", kRecord},
    {"top kernels ops operators", "",
     "`profgauge query PROFILE \"select name, ms(time) ms from kernels order by time desc limit "
     "10\"`"},
    {"list ls", "",
     "`profgauge inspect DIR` lists the runs below a folder, `profgauge history list` past ones"},
    {"stats info summary print dump cat memory describe", "",
     "`profgauge inspect PROFILE` shows the contents, `profgauge check PROFILE` judges them"},
    {"sql ask select", "", "`profgauge query PROFILE SQL`"},
    {"serve server", "", "`profgauge mcp` serves agents; pages need no server"},
    {"merge", "",
     "`profgauge summarize` condenses ranks; a folder of ranks needs no merging: pass the folder"},
    {"anonymize anonymise redact sanitize sanitise", "",
     "`profgauge scrub IN OUT`, or a report without names: `profgauge report --redact=code`"},
    {"convert", "", "`profgauge export tables PROFILE -o DIR`"},
    {"setup configure", "", "`profgauge init --project PROFILE` sets up checks in CI"},
    {"--output-dir --dir --outdir --output-file", "*", kOut},
    {"--format --type --report", "*",
     "write `--json FILE`, `--html FILE`, `--md FILE`, `--xlsx FILE`, or all with `--out DIR`"},
    {"--threshold --thresholds --limit --limits --max --min --tolerance", "*",
     "limits are in a policy: `profgauge init PROFILE -o policy.yaml`, then `--policy "
     "policy.yaml`"},
    {"--rules --rule", "*", "rules are named by `rule_files` of a policy: pass it by `--policy`"},
    {"--skip --skip-steps --warmup-steps --start-step", "*", "write `--iter-start N`"},
    {"--no-fail --soft-fail --allow-failure --warn-only", "*", "write `--exit-zero`"},
    {"--summary --comment", "*", "write `--write summary=FILE`"},
    {"--against --base --ref --reference --compare --compare-to", "*", "write `--baseline FILE`"},
    {"--save-baseline --update-baseline", "*", "`profgauge baseline save PROFILE -o FILE`"},
    {"--debug --log-level", "*", "write `-v`"},
    {"--silent", "*", "write `-q`"},
    {"--strict", "*", "write `--policy builtin:strict`, or `--fail-on warn`"},
};

Error GoneError(const Gone& gone, std::string_view value) {
  const std::string shown = value.empty() ? std::string(gone.otherwise) : Printable(value);
  return UsageError("usage/gone", fmt::format("`{}` is gone", gone.name),
                    fmt::format(fmt::runtime(gone.help), shown));
}

bool HasWord(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

/// The answer if a command line begins with a file: a page that was meant, or a program to run.
std::string_view GuessedFile(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  const std::string_view end = dot == word.npos ? std::string_view() : word.substr(dot);
  if (end == ".html" || end == ".htm") return kPage;
  return end == ".py" || end == ".sh" ? kRecord : std::string_view();
}

std::optional<Error> Guessed(std::string_view word) {
  const bool is_option = word.starts_with("--");
  if (const std::string_view help = GuessedFile(word); !help.empty() && !is_option) {
    return UsageError("usage/unknown-command", fmt::format("unknown command `{}`", word),
                      std::string(help));
  }
  for (const Gone& guessed : kGuessed) {
    if (!HasWord(guessed.name, word)) continue;
    return UsageError(is_option ? "usage/unknown-option" : "usage/unknown-command",
                      fmt::format("unknown {} `{}`", is_option ? "option" : "command", word),
                      std::string(guessed.help));
  }
  return std::nullopt;
}

}  // namespace

std::span<const Gone> AllGone() { return kGone; }
std::span<const Gone> AllGuessed() { return kGuessed; }

std::optional<Error> GoneCommand(std::span<const std::string> args) {
  for (const Gone& gone : kGone) {
    if (!gone.command.empty() || args.empty()) continue;
    const bool is_it =
        gone.name == args[0] || (args.size() > 1 && gone.name == args[0] + " " + args[1]);
    if (is_it) return GoneError(gone, {});
  }
  return args.empty() ? std::nullopt : Guessed(args[0]);
}

std::optional<Error> GoneOption(std::string_view command, std::string_view name,
                                std::string_view value) {
  for (const Gone& gone : kGone) {
    const bool is_of = gone.command == "*" || gone.command == command;
    if (gone.name == name && is_of) return GoneError(gone, value);
  }
  return Guessed(name);
}

}  // namespace profgauge::cli
