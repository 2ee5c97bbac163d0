// `profgauge what-if PROFILE --scale "CONDITION by FACTOR"`: predicts the effect of a change by a
// simulation of the dependencies.
//
//   --scale "CONDITION by FACTOR"    compiled before a profile is read, so typos are found early
//   --scale RULE                     the scenario of that rule's gain
//   --scale waiting                  collectives wait for no rank
//   --plan                           a separate list, before the table
//
//   scenario      events  iteration    saves   share  new bottleneck
//   a                 12    10.1 ms  1.20 ms  10.6 %  …
//   b                 18    11.0 ms   300 µs   2.7 %  …
//   all together      30    9.80 ms  1.50 ms  13.3 %  …  only for several
//
// The exit code is 3 if a condition of --scale matches nothing: predicting no change would mislead.
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "analysis/replay.h"
#include "api/default_policy.h"
#include "api/session.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/reading.h"
#include "render/shared/renderer.h"
#include "render/shared/words.h"
#include "report/build_comparison.h"
#include "report/build_plan.h"
#include "report/build_sections.h"
#include "rules/facts.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"
#include "rules/what_if.h"

namespace profgauge::cli {
namespace {

/// The values of --scale, by kind. The id of a rule contains `/` and has no factor.
struct Asked {
  std::vector<std::string> conditions, rules;
  bool without_waiting = false;
};
Asked AskedBy(const Options& options) {
  Asked asked;
  for (const std::string& text : options.scales) {
    const bool is_rule = text.find('/') != text.npos && text.find(" by ") == text.npos;
    if (text == "waiting") {
      asked.without_waiting = true;
    } else {
      (is_rule ? asked.rules : asked.conditions).push_back(text);
    }
  }
  return asked;
}

struct NamedScale {
  std::string name, scale;
};

/// Splits "half the gemms: launch.name matches 'gemm' by 0.5" at the colon. If there is no name,
/// the scale is the name, too.
NamedScale SplitName(const std::string& text) {
  static const re2::RE2 kNamed(R"(([A-Za-z][\w -]{0,39}):\s+(.*))");
  NamedScale named;
  if (re2::RE2::FullMatch(text, kNamed, &named.name, &named.scale)) return named;
  return {text, text};
}

// Compiles all scales and reports all mistakes. Sets `compiled_all` to false if there was one.
// Fails only for a scale that cannot be split. REQUIRES: `compiled_all` is true.
Result<std::vector<rules::CompiledScenario>> Compile(const std::vector<std::string>& conditions,
                                                     Console& console, bool& compiled_all) {
  std::vector<rules::CompiledScenario> scenarios;
  for (const std::string& text : conditions) {
    const NamedScale named = SplitName(text);
    PROFGAUGE_TRY(rules::WhatIfScale scale, rules::ParseScale(named.scale, "--scale"));
    auto compiled = rules::CompileScenario({named.name, {std::move(scale)}, false, {}});
    if (compiled) {
      scenarios.push_back(*std::move(compiled));
      continue;
    }
    compiled_all = false;
    for (Error& error : compiled.error()) {
      error.notes.push_back(fmt::format("note: in `--scale \"{}\"`", PrintableShort(text, 200)));
      console.Report(error);
    }
  }
  return scenarios;
}

Error UnknownFinding(const std::string& id, const rules::Rulebook& book) {
  std::string known;
  for (const rules::CompiledRule& rule : book.compiled()) {
    if (rule.scenario) known += (known.empty() ? "" : ", ") + rule.rule->id;
  }
  return UsageError(
      "usage/no-scenario-of-rule",
      fmt::format("`--scale {}`: this rule does not exist or has no scenario", PrintableShort(id)),
      "those that do: " + known);
}

Status AddFindings(const rules::Rulebook& book, const std::vector<std::string>& keys,
                   std::vector<rules::CompiledScenario>& scenarios) {
  for (const std::string& key : keys) {
    const std::string id = key.substr(0, key.find('@'));  // A group has its rule's scenario.
    const auto rule = std::find_if(
        book.compiled().begin(), book.compiled().end(),
        [&](const rules::CompiledRule& one) { return one.rule->id == id && one.scenario; });
    if (rule == book.compiled().end()) return Fail(UnknownFinding(key, book));
    scenarios.push_back(*rule->scenario);
    scenarios.back().name = id;
  }
  return {};
}

/// Adds one row for each step of the plan: the fix, and the iteration time after it.
void ListPlan(const report::Plan& plan, JsonList& list) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const report::PlanStep& step = plan.steps[i];
    JsonWriter& row = list.Row();
    row.Field("step", static_cast<std::int64_t>(i + 1));
    for (const auto& [name, texts] :
         {std::pair("findings", &step.findings), std::pair("rules", &step.rules)}) {
      row.Key(name);
      row.BeginArray(JsonWriter::Style::kInline);
      for (const std::string& text : *texts) row.Text(text);
      row.EndArray();
    }
    row.Field("title", step.title);
    row.OptionalField("change", step.change);
    row.Key("iteration_time"), row.Real(AsNumber(step.time.value, 0));
    row.Key("saves"), row.Real(AsNumber(step.saves.value.value, 0));
    row.Key("saves_alone"), row.Real(AsNumber(step.alone.value, 0));
  }
}

/// Returns the plan as text, and adds its steps to `list`.
std::string PlanText(const rules::Rulebook& book, std::span<const Profile> ranks,
                     analysis::Replayable& run, std::size_t width, JsonList& list) {
  book.Predict(run.replayer.get(), run.analysis);
  const auto simulations = rules::SimulationsOf(run.replayer.get());
  const rules::Evaluation evaluation = book.Evaluate(
      run.analysis, rules::CollectFacts(ranks, run.analysis), false, simulations.get());
  const rules::Plan plan = book.PlanOf(evaluation, run.analysis, simulations.get());
  if (plan.steps.empty()) {
    return fmt::format("There is no plan: {}.\n", plan.absent_because);
  }
  const report::Plan words =
      report::BuildPlan(plan, evaluation, DeviceWordsOf(AcceleratorOf(ranks)));
  ListPlan(words, list);
  const std::string more = render::NotSimulatedText(words);
  return render::RenderPlan(words, width) + render::PlanNote(words) +
         (more.empty() ? "" : " " + more + ".") + "\n";
}

Error NothingAsked() {
  return UsageError(
      "usage/no-scenario", "no change is given",
      "add `--plan`, `--scale RULE`, `--scale waiting` or `--scale \"host_op.name matches "
      "'DataLoader' by 0\"`");
}

Error NoReplay(const analysis::Analysis& analysis) {
  const analysis::Metric* path = analysis.Find(metric::kCriticalHostShare);
  return {ErrorKind::kInput,
          "analysis/no-replay",
          fmt::format("this profile cannot be simulated: it {}",
                      path == nullptr ? "has no launches" : path->absent_because),
          {},
          {"help: `profgauge inspect` shows the recorded data and how to record more"}};
}

std::string Duration(double ns) {
  return FormatValue(Value{static_cast<std::int64_t>(ns)}, Unit::kTime);
}

// The answers: rows for --json, and lines of the table.
class Answer {
 public:
  explicit Answer(JsonList& list) : list_(list) {}

  /// `is_least`: the change may save more, because waits of the host may be missing.
  void Add(const std::string& name, const rules::ScenarioOutcome& outcome, bool is_least) {
    std::uint64_t rows = 0;
    for (const std::uint64_t matched : outcome.matched) rows += matched;
    const analysis::simulation::Prediction& found = *outcome.prediction;
    const std::string_view least = is_least ? "≥ " : "", most = is_least ? "≤ " : "";
    lines_.push_back(
        {name, fmt::format("{}", rows), fmt::format("{}{}", most, Duration(found.iteration_time)),
         fmt::format("{}{}", least, Duration(found.recorded_time - found.iteration_time)),
         fmt::format("{}{}", least, FormatValue(Value{found.gain_share()}, Unit::kShare)),
         rules::PathText(found)});
    any_least_ = any_least_ || is_least;
    JsonWriter& row = list_.Row();
    row.Field("scenario", name);
    row.Field("events", static_cast<std::int64_t>(rows));
    row.Key("iteration_time"), row.Real(found.iteration_time);
    row.Key("recorded_time"), row.Real(found.recorded_time);
    row.Key("saves"), row.Real(found.recorded_time - found.iteration_time);
    row.Key("share"), row.Real(found.gain_share());
    row.Field("basis", is_least ? "at_least" : "simulated");
    row.Field("new_bottleneck", rules::PathText(found));
  }
  std::string Text(const std::string& head) const {
    std::vector<std::vector<std::string>> all = {
        {"scenario", "events", "iteration", "saves", "share", "new bottleneck"}};
    all.insert(all.end(), lines_.begin(), lines_.end());
    std::size_t widths[6] = {};
    for (const auto& line : all) {
      for (std::size_t i = 0; i < 6; ++i) {
        widths[i] = std::max(widths[i], CharactersIn(line[i]));
      }
    }
    std::string text = head;
    for (const auto& line : all) {
      text += "  ";
      for (std::size_t i = 0; i < 6; ++i) {
        const std::string pad(widths[i] - CharactersIn(line[i]), ' ');
        const bool is_number = i > 0 && i < 5;
        text += is_number ? pad + line[i] : i == 5 ? line[i] : line[i] + pad;
        if (i < 5) text += "  ";
      }
      text += '\n';
    }
    if (any_least_) {
      text +=
          "≥: in much of the time nothing is recorded on the host while the device works. If it "
          "waits there, the change saves more.\n";
    }
    return text;
  }

 private:
  bool any_least_ = false;
  std::vector<std::vector<std::string>> lines_;
  JsonList& list_;
};

/// Warns about each condition that matches nothing. Returns whether every condition matches.
bool MatchesAll(const rules::CompiledScenario& scenario, const rules::ScenarioOutcome& outcome,
                Console& console) {
  bool all = true;
  for (std::size_t i = 0; i < outcome.matched.size(); ++i) {
    if (outcome.matched[i] > 0) continue;
    all = false;
    console.Warn(fmt::format("warning: `{}` matches no {}\n", scenario.scales[i].condition.Text(),
                             analysis::simulation::ScenarioRowName(scenario.scales[i].table)));
  }
  return all;
}

}  // namespace

Result<int> RunWhatIf(const Options& options, Console& console) {
  const bool asks_change = !options.scales.empty();
  const Asked asked = AskedBy(options);
  if (!asks_change && !options.plan) return Fail(NothingAsked());
  bool compiled_all = true;
  PROFGAUGE_TRY(auto scenarios, Compile(asked.conditions, console, compiled_all));
  if (!compiled_all) return kExitUsage;
  const auto policy =
      rules::LoadPolicy(options.policy.empty() ? std::string(kDefaultPolicy) : options.policy);
  if (!policy) {
    console.Report(policy.error());
    return kExitUsage;
  }
  rules::SelectOptions select;
  PROFGAUGE_TRY(select.today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  select.allow_long_waivers = true;
  const auto book = rules::LoadRulebook(*policy, select);
  if (!book) {
    console.Report(book.error());
    return kExitUsage;
  }
  PROFGAUGE_CHECK(AddFindings(*book, asked.rules, scenarios));
  if (asked.without_waiting) scenarios.push_back({"without waiting", {}, true});
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(analysis::Replayable run,
                analysis::AnalyzeForReplay(ranks, SelectionOf(*policy, Choices(options))));
  if (run.replayer == nullptr) return Fail(NoReplay(run.analysis));
  JsonList list("what-if");
  std::string plan;
  if (options.plan) {
    plan = PlanText(*book, ranks, run, static_cast<std::size_t>(console.width()), list);
  }
  if (!asks_change) return PrintList(options, plan, std::move(list), console);
  rules::ScenarioRunner runner(*run.replayer);
  Answer answer(list);
  const bool may_miss = run.replayer->MayMissWaits();
  bool all_of_host = true;
  const auto add = [&](const std::string& name, const rules::ScenarioOutcome& outcome,
                       bool is_of_host) -> Status {
    if (!outcome.prediction) {
      return Fail(Error{ErrorKind::kInput,
                        "analysis/no-waiting",
                        outcome.absent_because,
                        {},
                        {"help: pass the profiles of all ranks, or omit `--scale waiting`"}});
    }
    all_of_host = all_of_host && is_of_host;
    answer.Add(name, outcome, may_miss && !is_of_host);
    return {};
  };
  double recorded = 0;
  bool matches_all = true;
  for (const rules::CompiledScenario& scenario : scenarios) {
    const rules::ScenarioOutcome outcome = runner.Run(scenario);
    const bool matches = MatchesAll(scenario, outcome, console);
    // A rule may match nothing, because its finding did not fire.
    const bool is_condition = &scenario < scenarios.data() + asked.conditions.size();
    matches_all = matches_all && (matches || !is_condition);
    PROFGAUGE_CHECK(add(Printable(scenario.name), outcome, scenario.changes_host()));
    recorded = outcome.prediction->recorded_time;
  }
  if (scenarios.size() > 1) {
    PROFGAUGE_CHECK(add("all together", runner.RunTogether(scenarios), all_of_host));
  }
  const auto iterations = run.analysis.iterations_selected;
  const std::string text =
      plan +
      answer.Text(fmt::format("{} iteration{} of {} as recorded\n", iterations,
                              iterations == 1 ? "" : "s", Duration(recorded))) +
      fmt::format("{}.\n", rules::PredictionLimits(run.replayer.get()));
  PROFGAUGE_TRY(const int printed, PrintList(options, text, std::move(list), console));
  return matches_all ? printed : static_cast<int>(kExitNoVerdict);
}

}  // namespace profgauge::cli
