#include "cli/text/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "report/read_report.h"
#include "report/run_row.h"
#include "rules/shape.h"

namespace profgauge::cli {
namespace {

/// The date of the pages, a constant, so that equal sources give equal bytes.
constexpr std::string_view kDay = "November 21, 2026";

/// Escapes our text for roff: a dot must not begin a line, and a backslash begins an escape.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

/// One argument of a macro in quotes, `"a b"`; quotes in it are doubled.
std::string Argument(std::string_view text) {
  std::string out = "\"";
  for (const char c : Escaped(text)) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

constexpr std::size_t kLineBytes = 78;

/// Puts sentences on separate, short lines, as mdoc requires.
std::string Paragraph(std::string_view text) {
  std::string out, line;
  const auto end_line = [&] {
    if (!line.empty()) out += Escaped(line) + "\n";
    line.clear();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kLineBytes) end_line();
    if (!line.empty()) line += ' ';
    line += word;
    if (word.ends_with('.')) end_line();
  }
  end_line();
  return out;
}

std::string Head(std::string_view name, int section, std::string_view brief) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".Dd {}\n.Dt {} {}\n.Os\n.Sh NAME\n.Nm {}\n.Nd {}\n", kDay, upper, section,
                     name, Escaped(brief));
}

std::string PageName(const CommandSpec& command) {
  std::string name = fmt::format("profgauge-{}", command.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// "judge a profile" for "Judge a profile", because it follows a dash.
std::string Uncapitalised(std::string_view text) {
  std::string out(text);
  if (out.size() > 1 && out[0] >= 'A' && out[0] <= 'Z' && out[1] >= 'a') {
    out[0] = static_cast<char>(out[0] + 32);
  }
  return out;
}

std::string OptionItem(const OptionSpec& option) {
  std::string text = ".It ";
  if (!option.shorthand.empty()) text += fmt::format("Fl {} , ", option.shorthand.substr(1));
  text += fmt::format("Fl \\-{}", option.name.substr(2));
  if (!option.value.empty()) text += fmt::format(" Ar {}", option.value);
  if (option.value.empty() && !option.choices.empty()) text += " Ns Op = Ns Ar LEVEL";
  text += "\n" + Paragraph(std::string(option.brief) + ".");
  if (!option.detail.empty()) text += Paragraph(option.detail);
  return text;
}

// A list for each group of options. The last list also has --help, the only option of some
// commands.
std::string OptionSections(const CommandSpec& command) {
  std::string text;
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& option : AllOptions()) {
    if ((option.commands & command.bit) == 0) continue;
    if (previous == nullptr || previous->group != option.group) {
      if (previous != nullptr) text += ".El\n";
      text += fmt::format(".Ss {}\n.Bl -tag -width Ds\n", GroupTitle(option.group));
    }
    previous = &option;
    text += OptionItem(option);
  }
  if (previous == nullptr) text += ".Bl -tag -width Ds\n";
  return text + ".It Fl h , Fl \\-help\nShow help.\n.El\n";
}

std::string ExitSection() {
  std::string text = ".Sh EXIT STATUS\n.Bl -tag -width Ds\n";
  for (const ExitMeaning& exit : ExitMeanings()) {
    text += fmt::format(".It {}\n{}", exit.code, Paragraph(Uncapitalised(exit.meaning) + "."));
  }
  return text + ".El\n";
}

std::string LiteralBlock(std::string_view lines) {
  std::string body(lines);
  while (body.ends_with('\n')) body.pop_back();
  return fmt::format(".Bd -literal\n{}\n.Ed\n", Escaped(body));
}

std::string CommandPage(const CommandSpec& command) {
  const std::string name = PageName(command);
  std::string text = Head(name, 1, Uncapitalised(command.brief));
  text += fmt::format(".Sh SYNOPSIS\n.Nm profgauge {}\n", command.name);
  if (!command.arguments.empty()) text += fmt::format(".Ar {}\n", Argument(command.arguments));
  text += ".Op Ar options\n.Sh DESCRIPTION\n";
  text += Paragraph(command.detail.empty() ? std::string(command.brief) + "."
                                           : std::string(command.detail));
  text += OptionSections(command);
  text += ExitSection();
  if (!command.examples.empty()) text += ".Sh EXAMPLES\n" + LiteralBlock(command.examples);
  return text + ".Sh SEE ALSO\n.Xr profgauge 1\n";
}

std::string ProgramPage() {
  std::string text =
      Head("profgauge", 1, "judge deep-learning training profiles and write reports");
  text +=
      ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar arguments\n.Op Ar options\n.Sh DESCRIPTION\n"
      "Reads a training profile, judges it with limits and rules written in YAML,\n"
      "writes HTML, Markdown, XLSX and JSON reports,\nand answers with its exit status.\n"
      "Everything after\n"
      ".Fl \\-\n"
      "is an argument.\n"
      ".Pp\nCommands, each with a separate page:\n.Bl -tag -width Ds\n";
  for (const CommandSpec& command : AllCommands()) {
    text += fmt::format(".It Xr {} 1\n{}", PageName(command),
                        Paragraph(std::string(command.brief) + "."));
  }
  text += ".El\n" + ExitSection();
  return text + ".Sh SEE ALSO\n.Xr profgauge-policy 5 ,\n.Xr profgauge-rules 5\n";
}

/// A larger bound of an integer is that of its type, so it is not shown.
constexpr std::int64_t kLargestShown = 1'000'000;

// The kinds of values of a key, in YAML's terms.
std::string Accepted(const rules::Shape& shape) {
  std::vector<std::string> ways;
  for (const std::string& word : shape.words) ways.push_back(fmt::format("`{}`", word));
  if (shape.is_text) ways.emplace_back("string");
  if (shape.integer && shape.integer->first == shape.integer->second) {
    ways.push_back(fmt::format("{}", shape.integer->first));
  } else if (shape.integer) {
    ways.push_back(fmt::format("whole number from {}{}", shape.integer->first,
                               shape.integer->second < kLargestShown
                                   ? fmt::format(" to {}", shape.integer->second)
                                   : std::string()));
  }
  if (shape.is_number || !shape.units.empty()) ways.emplace_back("quantity");
  if (shape.is_list) ways.emplace_back("list");
  if (shape.is_map) ways.emplace_back("mapping");
  return fmt::format("{}", fmt::join(ways, ", "));
}

void AddKeys(const rules::Shape& shape, std::vector<std::string>& described, std::string& text);

/// Describes the parts of a value, each mapping once.
void AddParts(const rules::Shape& shape, std::vector<std::string>& described, std::string& text) {
  if (shape.is_map) AddKeys(shape, described, text);
  if (!shape.items.empty()) AddParts(shape.items.front(), described, text);
}

// Adds a section for each kind of mapping, then for its parts. `described` has the kinds that have
// a section, so the recursion ends even if a shape contains itself.
void AddKeys(const rules::Shape& shape, std::vector<std::string>& described, std::string& text) {
  const bool is_known =
      std::find(described.begin(), described.end(), shape.what) != described.end();
  if (is_known) return;
  described.push_back(shape.what);
  std::string own;
  for (const rules::ShapeKey& key : shape.keys) {
    const std::string_view doc = rules::KeyDoc(shape.what, key.name);
    if (doc.empty()) continue;  // Metrics and ops have no text here.
    own += fmt::format(
        ".It Cm {}\n{}", key.name,
        Paragraph(fmt::format("{}{}. Value: {}.", std::string(doc),
                              key.is_required ? " (required)" : "", Accepted(key.value))));
  }
  if (!own.empty()) {
    text += fmt::format(".Ss Keys of {}\n.Bl -tag -width Ds\n{}.El\n", Escaped(shape.what), own);
  }
  for (const rules::ShapeKey& key : shape.keys) AddParts(key.value, described, text);
  for (const rules::Shape& other : shape.others) AddParts(other, described, text);
}

std::string FilePage(std::string_view name, std::string_view brief, std::string_view intro,
                     const std::vector<std::string_view>& files, std::string_view example) {
  std::string text = Head(name, 5, brief);
  text += fmt::format(".Sh DESCRIPTION\n{}", intro);
  std::vector<std::string> described;
  for (const rules::FileShape& file : rules::ConfigurationShapes()) {
    if (std::find(files.begin(), files.end(), file.name) == files.end()) continue;
    AddKeys(file.shape, described, text);
  }
  text += fmt::format(".Sh EXAMPLES\n{}", LiteralBlock(example));
  return text + ".Sh SEE ALSO\n.Xr profgauge 1 ,\n.Xr profgauge-check 1 ,\n" +
         (name == "profgauge-policy" ? ".Xr profgauge-rules 5\n" : ".Xr profgauge-policy 5\n");
}

constexpr std::string_view kPolicyIntro =
    "A policy is a YAML file with the requirements of a project:\n"
    "limits on metrics, rules, and allowed changes from a baseline.\nAliases, anchors, tags and "
    "keys given twice are errors.\n"
    "Metrics are listed by\n.Xr profgauge-metrics-list 1 .\n";
constexpr std::string_view kPolicyExample =
    "schema: 1\n"
    "extends: [builtin:recommended]\n"
    "iterations: {warmup: 2}\n"
    "thresholds:\n"
    "  gpu.utilization.mean: {min: 75%}\n"
    "  iteration.time.p95: {max: 20 ms, level: warn}\n"
    "baseline:\n"
    "  iteration.time.median: {max_increase: 3%}\n";
constexpr std::string_view kConfigIntro =
    "The file profgauge.yaml (or .profgauge.yaml) names policy, history, baseline\n"
    "and jobs of a repository.\n"
    "It is searched from the working folder upwards to the folder with .git.\n"
    "Options have precedence, then variables such as PROFGAUGE_POLICY,\nthen keys of a job.\n"
    "Paths are relative to the file.\n";
constexpr std::string_view kConfigExample =
    "schema: 1\n"
    "policy: perf/policy.yaml\n"
    "baseline: history:main~10\n"
    "learning_until: 2026-12-31\n"
    "jobs:\n"
    "  - name: resnet50\n"
    "    inputs: runs/resnet50/*\n";
constexpr std::string_view kRulesIntro =
    "A rule file holds rules that look at metrics and rows of a profile.\nThe language of "
    "expressions is printed by\n.Xr profgauge-rules-docs 1 ,\nrule files are checked by\n"
    ".Xr profgauge-rules-check 1\nand tested by\n.Xr profgauge-rules-test 1 .\n";
constexpr std::string_view kRulesExample =
    "schema: 2\n"
    "namespace: mine\n"
    "rules:\n"
    "  - id: long-kernels\n"
    "    title: Some kernels take long\n"
    "    category: compute\n"
    "    for_each: kernel\n"
    "    where: kernel.mean > 5 ms\n"
    "    level: warn\n"
    "    message: \"{{ count() }} kernels take more than 5 ms\"\n";

}  // namespace

std::vector<ManualPage> ManualPages() {
  std::vector<ManualPage> pages = {{"profgauge.1", ProgramPage()}};
  for (const CommandSpec& command : AllCommands()) {
    pages.push_back({PageName(command) + ".1", CommandPage(command)});
  }
  pages.push_back({"profgauge-policy.5",
                   FilePage("profgauge-policy", "requirements for training runs", kPolicyIntro,
                            {"policy", "devices", "names"}, kPolicyExample)});
  pages.push_back({"profgauge-config.5",
                   FilePage("profgauge-config", "profiles, policies and baselines of a repository",
                            kConfigIntro, {"config"}, kConfigExample)});
  pages.push_back({"profgauge-rules.5",
                   FilePage("profgauge-rules", "rules for training profiles, and their tests",
                            kRulesIntro, {"rules", "rule-tests"}, kRulesExample)});
  return pages;
}

std::vector<NamedSchema> AllSchemas() {
  std::vector<NamedSchema> schemas;
  for (const rules::FileShape& file : rules::ConfigurationShapes()) {
    schemas.push_back({file.name, file.title, rules::ConfigurationSchema(file)});
  }
  schemas.push_back(
      {"report",
       "report.json: content of reports, without single events and the rows counted in left_out",
       rules::PrettyJson(report::ReportSchema()) + "\n"});
  schemas.push_back({"row", "a run as a row of a warehouse: --write row, history list --format",
                     report::RowSchema()});
  schemas.push_back({"query", "the answer of `profgauge query --format json`",
                     std::string(EmbeddedSchema("rules/schemas/query.json"))});
  schemas.push_back({"lists", "lists that commands write with --json",
                     std::string(EmbeddedSchema("rules/schemas/lists.json"))});
  schemas.push_back({"run", "profgauge.run: the times of unrecorded iterations, and the process",
                     std::string(EmbeddedSchema("rules/schemas/run.json"))});
  return schemas;
}

std::string SchemaLine(std::string_view name) {
  return fmt::format(
      "# yaml-language-server: $schema=https://profgauge.example.org/schemas/1/{}.json\n", name);
}

}  // namespace profgauge::cli
