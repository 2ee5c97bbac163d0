// Rules: their lowered form, and the message of each mistake.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "made_run.h"
#include "rules/compile.h"
#include "rules/lowering.h"
#include "rules/rule.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kHead = "schema: 2\nnamespace: t\ncategory: c\n";

/// All errors as "line:column code message; help", of decoding or of compiling.
std::string ErrorsOf(const std::string& text) {
  const auto shown = [](const Errors& errors) {
    std::string out;
    for (const Error& error : errors) {
      out += fmt::format("{}:{} {}: {}", error.where.line, error.where.column, error.code,
                         error.message);
      for (const std::string& note : error.notes) out += "; " + note;
      out += '\n';
    }
    return out;
  };
  const auto file = ParseRuleFile(text, "t.yaml");
  if (!file) return shown(file.error());
  Errors errors;
  for (const Rule& rule : file->rules) {
    for (Error& error : CheckRule(rule)) errors.push_back(std::move(error));
  }
  return shown(errors);
}

Rule OneRule(const std::string& text) {
  const std::string errors = ErrorsOf(text);
  EXPECT_EQ(errors, "") << text;
  auto file = ParseRuleFile(text, "t.yaml");
  return file && !file->rules.empty() ? file->rules.front() : Rule{};
}

/// A rule over kernels whose metric has this value.
std::string Kernels(std::string_view value, std::string_view more = "") {
  return fmt::format(
      "{}rules:\n  - {{id: a, title: A, for_each: kernel, level: warn, message: m{},\n     metric: "
      "{{value: \"{}\"}}}}\n",
      kHead, more, value);
}

std::string ValueOf(const std::string& text) {
  const Rule rule = OneRule(text);
  return rule.metric ? rule.metric->value.text : "";
}

TEST(RuleLanguage, CompletesDerivedKeys) {
  const Rule rule = OneRule(std::string(kHead) +
                            "rules:\n"
                            "  - id: idle\n"
                            "    title: T\n"
                            "    metric: {is: idle time, value: gpu.idle.mean, warn_above: 15%}\n"
                            "    gain: {value: gpu.idle.time.mean}\n"
                            "    message: m\n");
  EXPECT_EQ(rule.id, "t/idle");
  EXPECT_EQ(rule.category, "c");
  EXPECT_EQ(rule.for_each.text, "profile");
  EXPECT_EQ(rule.docs, "");
  EXPECT_EQ(rule.gain->bound, GainBound::kUpper);
  ASSERT_EQ(rule.params.size(), 1u);
  EXPECT_EQ(rule.params[0].name, "warn");
  EXPECT_DOUBLE_EQ(rule.params[0].default_value.value, 0.15);
  EXPECT_EQ(rule.params[0].doc, "Warning above this: idle time.");
  EXPECT_EQ(rule.metric->warn_above->text, "$warn");
  EXPECT_EQ(rule.metric->show_as.kind, ShowAs::Kind::kPercent);
}

TEST(RuleLanguage, InlinesRowNames) {
  const std::string text =
      std::string(kHead) +
      "let:\n"
      "  long: kernel.mean > 1 ms\n"
      "  unused: rank.nothing\n"
      "  total: sum(kernel.time)\n"
      "rules:\n"
      "  - id: a\n"
      "    title: A\n"
      "    for_each: kernel\n"
      "    where: long and not kernel.is_collective\n"
      "    let: {most: \"sum(kernel.time, long)\"}\n"
      "    metric: {value: most / total, warn_above: 50%}\n"
      "    message: m\n"
      "    evidence: {order_by: \"if(long, 1, 0) desc\", columns: [kernel.name]}\n";
  const Rule rule = OneRule(text);
  EXPECT_EQ(rule.where->text, "(kernel.mean > 1 ms) and not kernel.is_collective");
  ASSERT_EQ(rule.let.size(), 2u);
  EXPECT_EQ(rule.let[0].name, "total");
  EXPECT_EQ(rule.let[1].value.text, "sum(kernel.time, (kernel.mean > 1 ms))");
  ASSERT_EQ(rule.row_names.size(), 1u);
  EXPECT_EQ(rule.evidence->order_by->text, "if((kernel.mean > 1 ms), 1, 0) desc");
  EXPECT_TRUE(rule.evidence->columns[0].is_code);
  EXPECT_EQ(rule.evidence->limit, 10);
}

TEST(RuleLanguage, ParametersKeepTheirOldNames) {
  Loaded loaded;
  auto file = ParseRuleFile(std::string(kHead) +
                                "rules:\n  - {id: a, title: A, level: warn, message: m, params: "
                                "{least: {default: 5 ms, doc: d, formerly: lowest}}}\n",
                            "t.yaml");
  ASSERT_TRUE(file) << ShowErrors(file.error());
  loaded.rules.rules = std::move(file->rules);
  const auto policy = ParsePolicy("schema: 1\nrules: {t/a: {params: {lowest: 7 ms}}}\n", "p.yaml");
  ASSERT_TRUE(policy) << ShowErrors(policy.error());
  const auto active = SelectRules(loaded.rules, *policy, {});
  ASSERT_TRUE(active) << ShowErrors(active.error());
  EXPECT_EQ(active->front().params.at("least").value, 7e6);
}

TEST(RuleLanguage, NamesUseNamesInAnyOrder) {
  const Rule rule =
      OneRule(std::string(kHead) +
              "let:\n"
              "  own: rank.exposed_communication / per_rank - once\n"
              "  per_rank: profile.gpus / profile.ranks\n"
              "  once: rank.exposed_once default 0 ms\n"
              "rules:\n"
              "  - {id: a, title: A, for_each: rank, level: warn, message: m,\n"
              "     let: {twice: share * 2, share: max(own / rank.iteration_time)}}\n");
  std::string names;
  for (const RuleLet& let : rule.let) names += let.name + " ";
  EXPECT_EQ(names, "per_rank share twice ");
  EXPECT_EQ(rule.row_names.size(), 2u);
}

TEST(PerIteration, DividesByItsSummands) {
  const std::string iterations = "(profile.iterations * greatest(profile.gpus default 1, 1)))";
  EXPECT_EQ(ValueOf(Kernels("per_iteration(sum(kernel.time))")),
            "(sum(kernel.time) / " + iterations);
  EXPECT_EQ(ValueOf(Kernels("per_iteration(sum(kernel.time))", ", group_by: gpu.id")),
            "(sum(kernel.time) / profile.iterations)");
  EXPECT_EQ(ValueOf(Kernels("sum(per_iteration(kernel.time))")),
            "sum((kernel.time / profile.iterations))");
  EXPECT_EQ(ValueOf(Kernels("share_of_iteration(sum(kernel.time))")),
            "(sum(kernel.time) / (profile.iterations * greatest(profile.gpus default 1, 1)) / "
            "iteration.time.mean)");
  const std::string calls = std::string(kHead) +
                            "rules:\n  - {id: a, title: A, for_each: api_call, level: warn, "
                            "message: m, metric: {value: \"per_iteration(sum(api_call.time))\"}}\n";
  EXPECT_EQ(ValueOf(calls),
            "(sum(api_call.time) / (profile.iterations * greatest(profile.ranks default 1, 1)))");
  const std::string collectives = std::string(kHead) +
                                  "rules:\n  - {id: a, title: A, for_each: collective, group_by: "
                                  "rank.id, level: warn, message: "
                                  "m, metric: {value: \"per_iteration(sum(collective.time))\"}}\n";
  EXPECT_EQ(ValueOf(collectives), "(sum(collective.time) / rank.iterations)");
}

TEST(Items, ShowTrueItems) {
  const std::string rule =
      std::string(kHead) +
      "rules:\n"
      "  - id: a\n"
      "    title: A\n"
      "    level: warn\n"
      "    message: [\"{{ plural(profile.gpus, 'GPU') }}.\", {when: gpu.idle.mean > 1%, text: "
      "hidden}, {when: profile.gpus > 1, text: Many.}]\n"
      "    advice:\n"
      "      - case: [{when: profile.gpus > 5, text: five}, {when: profile.gpus > 1, text: two}, "
      "{text: none}]\n"
      "      - {when: profile.gpus > 1, case: [{when: not known(gpu.idle.mean), text: "
      "\"Look.\"}]}\n";
  auto file = ParseRuleFile(rule, "t.yaml");
  ASSERT_TRUE(file) << ShowErrors(file.error());
  RuleSet rules;
  rules.rules = std::move(file->rules);
  const Policy policy;
  const auto active = SelectRules(rules, policy, {});
  const auto compiled = CompileRules(*active, policy);
  ASSERT_TRUE(compiled) << ShowErrors(compiled.error());
  TestRun run;
  run.Set("profile.gpus", Whole(2));
  const Evaluation evaluation = EvaluateRules(*compiled, run.analysis(), {}, {});
  EXPECT_EQ(evaluation.findings.front().message, "2 GPUs. Many.");
  EXPECT_EQ(evaluation.findings.front().advice, "- two\n- Look.\n");
}

TEST(Names, MayBeTheGreatestOfSeveral) {
  const std::string rule =
      std::string(kHead) +
      "rules:\n"
      "  - id: a\n"
      "    title: A\n"
      "    level: warn\n"
      "    let:\n"
      "      cause: {greatest: {sync: gpu.idle_cause.sync, other: gpu.idle_cause.other, host: "
      "gpu.idle_cause.host_wait}}\n"
      "      reason: {case: [{when: cause == 'sync', text: the host waits}, {text: unknown}]}\n"
      "    message: \"{{ cause }} {{ cause.value | percent }} {{ reason }}\"\n";
  auto file = ParseRuleFile(rule, "t.yaml");
  ASSERT_TRUE(file) << ShowErrors(file.error());
  RuleSet rules;
  rules.rules = std::move(file->rules);
  const Policy policy;
  const auto active = SelectRules(rules, policy, {});
  const auto compiled = CompileRules(*active, policy);
  ASSERT_TRUE(compiled) << ShowErrors(compiled.error());
  TestRun run;
  run.Set("gpu.idle_cause.sync", Value{0.2}).Set("gpu.idle_cause.host_wait", Value{0.1});
  EXPECT_EQ(PlainSpaces(EvaluateRules(*compiled, run.analysis(), {}, {}).findings.front().message),
            "sync 20.0 % the host waits");
}

std::string Shown(const RichText& parts) {
  std::string out;
  for (const TextPart& part : parts) {
    out += fmt::format("{}({})", TextPartName(part.kind), part.text);
  }
  return out;
}

/// The first finding of a rule over kernels of these names.
Finding OfKernels(const std::string& rules, std::string_view name) {
  auto file = ParseRuleFile(rules, "t.yaml");
  EXPECT_TRUE(file) << ShowErrors(file.error());
  static Loaded loaded;  // Findings point into it.
  loaded.rules.rules = std::move(file->rules);
  const auto active = SelectRules(loaded.rules, loaded.policy, {});
  loaded.compiled = *CompileRules(*active, loaded.policy);
  TestRun run;
  run.Rows("kernels_by_op", {"rank", "name", "time"}, {{Whole(0), Text(std::string(name)), Ms(1)}});
  return EvaluateRules(loaded.compiled, run.analysis(), {}, {}).findings.front();
}

TEST(Parts, ProfileNamesAreNoMarkup) {
  const std::string rule =
      std::string(kHead) +
      "rules:\n  - {id: a, title: A, for_each: kernel, level: warn, message: \"{{ count() }} runs "
      "{{ at_max(kernel.name, kernel.time) }}, as `{{ at_max(kernel.name, kernel.time) }}` "
      "does.\", "
      "advice: [\"See `{{ at_max(kernel.name, kernel.time) }}`.\", Go on.]}\n";
  const Finding finding = OfKernels(rule, "a`b|<c>`\u202e@d");
  EXPECT_EQ(Shown(finding.message_parts),
            "number(1)text( runs a`b|<c>`\u202e@d, as )code(a`b|<c>`\u202e@d)text( does.)");
  ASSERT_EQ(finding.advice_parts.size(), 2u);
  EXPECT_EQ(Shown(finding.advice_parts[0]), "text(See )code(a`b|<c>`\u202e@d)text(.)");
  EXPECT_EQ(finding.advice, "- See `a`b|<c>`\u202e@d`.\n- Go on.\n");
}

TEST(Keys, NameTheRuleAndItsGroup) {
  const auto rule = [](std::string_view more) {
    return fmt::format(
        "{}rules:\n  - {{id: a, title: A, for_each: kernel, level: warn, message: m{}}}\n", kHead,
        more);
  };
  EXPECT_EQ(OfKernels(rule(""), "gemm").key, "t/a");
  EXPECT_EQ(OfKernels(rule(", group_by: kernel.name"), "gemm").key, "t/a@name=gemm");
  EXPECT_EQ(OfKernels(rule(", group_by: kernel.rank"), "gemm").key, "t/a@rank=0");
  const std::string key = OfKernels(rule(", group_by: kernel.name"), std::string(60, 'x')).key;
  EXPECT_EQ(key.substr(0, key.size() - 8), "t/a@name=" + std::string(40, 'x') + "~");
  EXPECT_EQ(key.size(), 9u + 40 + 1 + 8);
}

struct Mistake {
  std::string_view rule, error;
};
constexpr Mistake kMistakes[] = {
    {"{id: a, title: A, level: warn, message: m, for_each: gap, where: gap.cause == 'host-wait'}",
     "5:83 expr/never-equal: `gap.cause` is never 'host-wait'; help: did you mean 'host_wait'? "
     "values: host_wait, dataloader, sync, module_loading, capture, memory_management, "
     "launch_latency, queued, other\n"},
    {"{id: a, title: A, level: warn, message: m, when: profile.gpus / profile.ranks default 1 > 2}",
     "5:54 expr/ambiguous-default: `profile.gpus / profile.ranks default 1` can be read in two "
     "ways; help: write `(profile.gpus / profile.ranks) default 1` or `profile.gpus / "
     "(profile.ranks default 1)`\n"},
    {"{id: a, title: A, level: warn, message: m, advice: [Send less: half precision]}",
     "5:57 config/unknown-key: unknown key `Send less` in an item of advice; help: put the text in "
     "quotes, since it contains `: `\n"},
    {"{id: a, title: A, level: warn, message: m, when: \"device.device =~ 'x'\"}",
     "5:69 expr/syntax: `=~` is no operator; help: write `matches`\n"},
    {"{id: a, title: A, level: warn, message: [{use: none}]}",
     "5:47 config/unknown-key: unknown key `use` in an item; note: keys of an item: when, text, "
     "case\n"},
    {"{id: a, title: A, level: warn, message: [{when: true}]}",
     "5:46 rules/item: an item has one of `text` and `case`\n"},
    {"{id: a, level: warn, message: m}", "5:5 config/missing-key: a rule needs the key `title`\n"},
    {"{id: a, title: A, level: warn, message: m, let: {x: y, y: x}}",
     "5:54 rules/circle: `x` is defined by itself\n"},
    // A scenario has the text of each name.
    {"{id: a, title: A, level: warn, message: m, for_each: kernel, let: {x: kernel.mean > 1 us and "
     "x}, gain: {value: 1 ms, scenario: [{where: x, by: 'x'}]}}",
     "5:72 rules/circle: `x` is defined by itself\n"},
    {"{id: a, title: A, level: warn, message: m, for_each: gap, evidence: {columns: [gap.start + 1 "
     "ms]}}",
     "5:84 rules/column: `gap.start + 1 ms` is no column of a table, so it needs a `head`\n"},
    {"{id: a, title: A, level: warn, message: m, params: {p: {default: thresholds.none, doc: d}}}",
     "5:70 config/word: there is no threshold `none`\n"},
    {"{id: a, title: A, level: warn, message: m, for_each: api_call, when: "
     "\"per_iteration(sum(api_call.time) + sum(gap.duration)) > 1 ms\"}",
     "5:75 rules/per-iteration: `per_iteration` adds work of hosts and of devices; divide each by "
     "itself\n"},
    {"{id: a, title: A, level: warn, message: m, gain: {value: 1 ms, scenario: [{where: "
     "launch.is_collective}]}}",
     "5:79 rules/change: a change has either `by` or `hides: true`\n"},
};

TEST(RuleLanguage, MistakesHavePlaceAndText) {
  for (const Mistake& mistake : kMistakes) {
    const std::string text = fmt::format("{}rules:\n  - {}\n", kHead, mistake.rule);
    EXPECT_EQ(ErrorsOf(text), mistake.error) << mistake.rule;
  }
}

TEST(RuleLanguage, NamesGivenTwiceSayBothPlaces) {
  EXPECT_EQ(
      ErrorsOf(std::string(kHead) + "let: {spent: 1 ms}\nrules:\n  - {id: a, title: A, level: "
                                    "warn, message: m, let: {spent: 2}}\n"),
      "6:54 rules/name: `spent` is already a name of t.yaml:4\n");
}

/// A rule that shows the word `captured`, with more keys of the file and of the rule.
std::string WithWord(const std::string& of_file, const std::string& of_rule) {
  return fmt::format(
      "{}{}rules:\n  - {{id: a, title: A, level: warn, when: captured, message: m{}}}\n", kHead,
      of_file, of_rule);
}

TEST(Words, AreKnownInEveryFile) {
  const Rule rule = OneRule(WithWord("", ""));
  ASSERT_EQ(rule.let.size(), 1u);
  EXPECT_EQ(rule.let[0].value.text, "profile.graph_capture default false");
  EXPECT_EQ(rule.let[0].where.file, "builtin:words");
}

TEST(Words, NamesOfTheFileAndOfTheRuleWin) {
  EXPECT_EQ(OneRule(WithWord("let: {captured: profile.gpus > 1}\n", "")).let[0].value.text,
            "profile.gpus > 1");
  const Rule rule = OneRule(WithWord("", ", let: {captured: profile.gpus > 2}"));
  ASSERT_EQ(rule.let.size(), 1u);
  EXPECT_EQ(rule.let[0].value.text, "profile.gpus > 2");
}

/// Else a name of a rule would change the meaning of another word.
TEST(Words, NameNoOtherWord) {
  EXPECT_GE(BuiltinWords().size(), 13u);
  for (const RuleLet& word : BuiltinWords()) {
    for (const std::string& field : FieldsOf(word.value.text).all) {
      const auto is_named = [&](const RuleLet& other) {
        return other.name == field && !(field == word.name + ".value");
      };
      EXPECT_TRUE(std::ranges::none_of(BuiltinWords(), is_named)) << word.name << ": " << field;
    }
  }
}

/// A name that doubles forty times is refused before it costs memory.
TEST(RuleLanguage, GrowthIsBounded) {
  std::string lets = "let:\n  n0: kernel.time\n";
  for (int i = 1; i < 40; ++i) {
    lets += fmt::format("  n{}: n{} + n{}\n", i, i - 1, i - 1);
  }
  const std::string rule =
      "rules:\n  - {id: a, title: A, for_each: kernel, level: warn, message: m, where: n39 > 0 "
      "ns}\n";
  EXPECT_NE(ErrorsOf(std::string(kHead) + lets + rule).find("expr/too-large"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::rules
