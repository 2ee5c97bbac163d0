// The rules that come with the program: they compile, are documented and tested, and make sense of
// real profiles.
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "analysis/catalog/row_exposure.h"
#include "base/text.h"
#include "made_run.h"
#include "read_all.h"
#include "readers/load.h"
#include "rules/builtin_files.h"
#include "rules/evaluator.h"
#include "rules/policy.h"
#include "rules/rule_schema.h"
#include "rules/rule_test.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

struct Shipped {
  RuleSet rules;
  Policy policy;
  std::vector<CompiledRule> compiled;

  Shipped() {
    auto loaded = LoadBuiltinRules();
    if (!loaded) {
      ADD_FAILURE() << RenderErrors(loaded.error(), false);
      return;
    }
    rules = *std::move(loaded);
    const auto active = SelectRules(rules, policy, {});
    if (!active) {
      ADD_FAILURE() << RenderErrors(active.error(), false);
      return;
    }
    auto result = CompileRules(*active, policy);
    if (!result) {
      ADD_FAILURE() << RenderErrors(result.error(), false);
      return;
    }
    compiled = *std::move(result);
  }
};

TEST(ShippedRules, Compile) {
  const Shipped shipped;
  EXPECT_GE(shipped.compiled.size(), 75u);
}

// The table has the 10 000 longest gaps. Where all of them are long, the rule passes only if no
// idle time beyond them could fail it.
TEST(ShippedRules, GapsBeyondTheTableCount) {
  const Shipped shipped;
  const auto status = [&](std::size_t gaps, double idle) {
    TestRun run;
    run.Set("profile.wall_time", Ms(1e6)).Set("profile.gpus", Whole(1));
    run.Set("iteration.time.mean", Ms(50)).Set("gpu.idle.mean", idle);
    run.RowsOf("gaps", {"duration"}, std::vector<std::vector<Value>>(gaps, {Ms(4)}));
    const Evaluation found = EvaluateRules(shipped.compiled, run.analysis(), {}, {});
    const auto gap = std::ranges::find_if(
        found.findings, [](const Finding& one) { return one.rule->id == "gpu/gaps"; });
    return gap == found.findings.end() ? FindingStatus::kBroken : gap->status;
  };
  EXPECT_EQ(status(9'999, 0.2), FindingStatus::kGood);
  EXPECT_EQ(status(10'000, 0.2), FindingStatus::kWarn);
  EXPECT_EQ(status(10'000, 0.045), FindingStatus::kGood);
}

/// Names of PyTorch that a text gives.
bool NamesPyTorch(std::string_view text) {
  return ContainsAny(
      text, {"torch.", "num_workers", "pin_memory", "non_blocking", "channels_last", "GradScaler",
             "zero_grad", "set_to_none", "bucket_cap", "use_fast", "prefetch_factor", "PYTORCH_"});
}

/// Advice that names PyTorch whatever the program is.
void AddUnguarded(const std::vector<TextItem>& items, bool is_guarded, const Rule& rule,
                  std::vector<std::string>& found) {
  const auto is_guard = [](std::string_view text) {
    return ContainsAny(
        text, {"pytorch", "torch_cuda", "framework", "'kineto'", "aten::", "npu", "profile.ddp"});
  };
  for (const TextItem& item : items) {
    const bool guarded = is_guarded || (item.when && is_guard(item.when->text)) ||
                         ContainsAny(item.text.text, {"if(pytorch"});
    AddUnguarded(item.items, guarded, rule, found);
    if (!guarded && NamesPyTorch(item.text.text)) found.push_back(rule.id + ": " + item.text.text);
  }
}

// Options of PyTorch are advice for its programs. Some rules fire for these only: by names of
// operators, by settings that only its tools record, or by its own functions.
TEST(ShippedRules, AdvisePyTorchOnlyItsPrograms) {
  const Shipped shipped;
  std::vector<std::string> found;
  for (const Rule& rule : shipped.rules.rules) {
    std::string all = rule.id;
    for (const auto* text : {&rule.where, &rule.when}) {
      if (*text) all += (*text)->text;
    }
    for (const SourceText& need : rule.needs) all += need.text;
    if (rule.metric) all += rule.metric->value.text;
    for (const RuleLet& let : rule.let) all += let.value.text;
    for (const RuleLet& let : rule.row_names) all += let.value.text;
    const bool is_of_pytorch = ContainsAny(all, {"aten::", "model_config.", "recording/",
                                                 "profile.ddp", "DataParallel", "recomputed_time"});
    AddUnguarded(rule.advice, is_of_pytorch, rule, found);
  }
  EXPECT_EQ(found, std::vector<std::string>());
}

TEST(ShippedRules, HaveAdviceAndUniqueTitles) {
  const Shipped shipped;
  std::set<std::string> titles;
  for (const Rule& rule : shipped.rules.rules) {
    EXPECT_FALSE(rule.advice.empty()) << rule.id;
    EXPECT_TRUE(titles.insert(rule.title).second) << rule.id << ": " << rule.title;
    if (rule.gain && !rule.gain->scenario.empty()) {
      EXPECT_TRUE(rule.change) << rule.id;
    }
  }
}

/// The first point in the file, or the first of a case that names a setting.
const TextItem* FirstPoint(const std::vector<TextItem>& items) {
  for (const TextItem& item : items) {
    const TextItem* point = item.items.empty() ? &item : FirstPoint(item.items);
    // Of a captured graph there is nothing to set.
    if (point != nullptr && !(item.when && item.when->text == "captured")) return point;
  }
  return nullptr;
}

// A plan prints it as what to do: a verb, and the setting in code.
TEST(ShippedRules, FirstAdviceNamesASetting) {
  const Shipped shipped;
  const std::set<std::string> nobodys_setting = {"comm/straggler", "comm/taking-turns",
                                                 "compute/experts"};
  const std::set<std::string_view> verbs = {
      "Allow", "Call",     "Check", "Checkpoint", "Choose", "Clear",      "Compile",
      "Copy",  "Decode",   "Even",  "Fuse",       "Give",   "Let",        "Look",
      "Make",  "Pack",     "Pad",   "Put",        "Raise",  "Remove",     "Set",
      "Use",   "Allocate", "Wrap",  "Prefetch:",  "Warm",   "Synchronize"};
  for (const Rule& rule : shipped.rules.rules) {
    if (!rule.change || nobodys_setting.contains(rule.id)) continue;
    const TextItem* point = FirstPoint(rule.advice);
    ASSERT_NE(point, nullptr) << rule.id;
    const std::string_view text = point->text.text;
    EXPECT_TRUE(verbs.contains(text.substr(0, text.find(' ')))) << rule.id << ": " << text;
    EXPECT_NE(text.find('`'), text.npos) << rule.id << ": " << text;
  }
}

/// Users' rules get no warnings that ours have.
TEST(ShippedRules, AreMeant) {
  const Shipped shipped;
  Errors warnings;
  for (const Rule& rule : shipped.rules.rules) CheckRule(rule, &warnings);
  EXPECT_EQ(RenderErrors(warnings, false), "");
}

/// Whether a line of YAML has a mapping that ends in it: `gain: {value: 1 ms}`.
bool HasMappingInLine(std::string_view line) {
  const std::size_t at = line.find(": {");
  const bool is_hole = at != std::string_view::npos && line.substr(at).starts_with(": {{");
  const bool is_text = line.find_first_of("'\"`#") < at;
  return Trim(line).starts_with("- {") || (at != std::string_view::npos && !is_hole && !is_text);
}

/// One thing a line, of which anybody can say what it means.
TEST(ShippedRules, AreWrittenOut) {
  for (const auto& entry : fs::directory_iterator(fs::path(PROFGAUGE_SOURCE_DIR) / "rules")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".yaml") || name.ends_with(".test.yaml")) continue;
    const bool is_policy = IsPresetName(entry.path().stem().string());
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      EXPECT_LE(line.size(), is_policy ? 120u : 110u) << name << ": " << line;
      if (is_policy) continue;
      EXPECT_FALSE(HasMappingInLine(line)) << name << ": " << line;
    }
  }
}

/// Files that the page shows with their name. Its first three are held by rule_tests_test.cc.
TEST(ShippedRules, FilesOfThePageWork) {
  const std::string readme = ReadAll(fs::path(PROFGAUGE_SOURCE_DIR) / "rules/README.md");
  const fs::path folder =
      fs::path(testing::TempDir()) / ("profgauge_readme_files_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::set<std::string> written;
  const std::string fence = "```yaml\n# ";
  for (auto at = readme.find(fence); at != std::string::npos; at = readme.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::string name = readme.substr(begin, readme.find_first_of(":\n", begin) - begin);
    const std::size_t end = readme.find("\n```", begin);
    if (name == "yaml-language-server") continue;
    std::ofstream(folder / name) << "# " << readme.substr(begin, end - begin) << "\n";
    EXPECT_TRUE(written.insert(name).second) << name;
  }
  EXPECT_EQ(written, (std::set<std::string>{"devices.yaml", "kernels.yaml", "names.yaml"}));
  const auto kernels = LoadRules({(folder / "kernels.yaml").string()});
  ASSERT_TRUE(kernels) << RenderErrors(kernels.error(), false);
  EXPECT_EQ(kernels->rules.size(), 1u);
  for (const Rule& rule : kernels->rules) {
    EXPECT_EQ(RenderErrors(CheckRule(rule), false), "") << rule.id;
  }
  std::ofstream(folder / "policy.yaml") << "schema: 1\nrule_files: [kernels.yaml]\ntensor_core: "
                                           "{names: names.yaml}\ndevices: devices.yaml\n";
  const auto policy = LoadPolicy((folder / "policy.yaml").string());
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto book = LoadRulebook(*policy, {});
  ASSERT_TRUE(book) << RenderErrors(book.error(), false);
  EXPECT_NE(book->rules().Find("mine/attention"), nullptr);
  fs::remove_all(folder);
}

/// Evidence with a time is found on the timeline of its rank.
TEST(ShippedRules, EvidenceWithTimesHasRanks) {
  for (const Rule& rule : Shipped().rules.rules) {
    if (!rule.evidence) continue;
    const auto has = [&](std::string_view head) {
      const auto& columns = rule.evidence->columns;
      return std::any_of(columns.begin(), columns.end(),
                         [&](const EvidenceColumn& column) { return column.head == head; });
    };
    EXPECT_TRUE(!has("Start") || has("Rank") || rule.id.starts_with("neuron/")) << rule.id;
  }
}

/// Names that `explains` gives are rules, not typing mistakes.
TEST(ShippedRules, ExplainOnlyRulesThatThereAre) {
  const Shipped shipped;
  for (const Rule& rule : shipped.rules.rules) {
    for (const RuleLet& entry : rule.explains_when) {
      EXPECT_NE(shipped.rules.Find(entry.name), nullptr) << rule.id << " explains " << entry.name;
    }
    for (const SourceText& id : rule.explains) {
      const bool is_rule = std::ranges::any_of(
          shipped.rules.rules, [&id](const Rule& other) { return GlobMatch(id.text, other.id); });
      EXPECT_TRUE(is_rule || analysis::FindMetric(id.text) != nullptr)
          << rule.id << " explains " << id.text;
    }
  }
}

/// The outliers that the loader should explain: of twenty iterations two take `slow` more,
/// `loading` of it in the loader, which takes 10 ms in each.
std::vector<std::string> ExplainedByTheLoader(std::int64_t slow, std::int64_t loading) {
  constexpr std::int64_t kMs = 1'000'000;
  analysis::Analysis analysis;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    analysis::Metric metric;
    metric.spec = &spec;
    metric.absent_because = "not recorded here";
    analysis.metrics.push_back(metric);
  }
  const auto set = [&](std::string_view id, Value value) {
    for (analysis::Metric& metric : analysis.metrics) {
      if (metric.spec->id == id) metric.value = std::move(value);
    }
  };
  set("profile.iterations", std::int64_t{20});
  set("iteration.time.median", 50 * kMs);
  set("iteration.time.mean", 50 * kMs + slow / 10);
  set("iteration.time.robust_cv", 0.01);
  set("iteration.time.cv", 0.5);
  set("profile.steady_range", std::string("use 0 to 4"));
  const analysis::TableSpec* spec = analysis::FindTable("iterations");
  Table table(spec->id, spec->row_name, spec->title, std::make_shared<StringPool>());
  for (const ColumnSpec& column_spec : spec->columns) {
    Column& column = table.AddColumn(column_spec);
    for (std::int64_t i = 0; i < 20; ++i) {
      const bool is_slow = i == 7 || i == 13;
      if (column_spec.id == "duration") {
        column.AddInteger(50 * kMs + (is_slow ? slow : 0));
      } else if (column_spec.id == "dataloader") {
        column.AddInteger(10 * kMs + (is_slow ? loading : 0));
      } else if (column_spec.id == "index") {
        column.AddInteger(i);
      } else {
        column.AddAbsent();
      }
    }
  }
  analysis.tables.push_back(std::move(table));
  const Shipped shipped;
  std::vector<std::string> explained;
  const Evaluation evaluation = EvaluateRules(shipped.compiled, analysis, {}, {});
  for (const Finding& finding : evaluation.findings) {
    if (!finding.cause) continue;
    const Finding* root = &finding;
    while (root->cause) root = &evaluation.findings[*root->cause];
    if (root->rule->id == "io/dataloader-bound") explained.push_back(finding.rule->id);
  }
  return explained;
}

TEST(ShippedRules, LoaderExplainsOutliersItFollows) {
  constexpr std::int64_t kMs = 1'000'000;
  EXPECT_EQ(ExplainedByTheLoader(100 * kMs, 0), std::vector<std::string>{});
  EXPECT_EQ(ExplainedByTheLoader(100 * kMs, 20 * kMs), std::vector<std::string>{});
  EXPECT_EQ(ExplainedByTheLoader(100 * kMs, 90 * kMs),
            (std::vector<std::string>{"iteration/outliers"}));
}

/// Every rule is tested to fire, to stay silent, and not to apply where its data can be missing.
TEST(ShippedRules, AreTested) {
  const std::string folder = PROFGAUGE_SOURCE_DIR "/rules";
  const auto results = RunRuleTests({folder});
  ASSERT_TRUE(results) << RenderErrors(results.error(), false);
  for (const RuleTestResult& result : *results) {
    for (const std::string& failure : result.failures) {
      ADD_FAILURE() << result.file << ": " << result.name << ": " << failure;
    }
  }
  std::string tests;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(".test.yaml")) tests += ReadAll(entry.path());
  }
  for (const Rule& rule : Shipped().rules.rules) {
    const std::string name = "rule: " + rule.id + ", ";
    const bool fires = tests.find(name + "level: ") != std::string::npos ||
                       tests.find("rule: " + rule.id + "\n        level: ") != std::string::npos;
    EXPECT_TRUE(fires) << rule.id << " is never seen to fire";
    for (const char* status : {"status: pass", "status: not_applicable"}) {
      EXPECT_NE(tests.find(name + status), std::string::npos) << rule.id << " lacks " << status;
    }
  }
}

double MetricOr(const analysis::Analysis& analysis, std::string_view id, double otherwise) {
  const analysis::Metric* metric = analysis.Find(id);
  return metric == nullptr ? otherwise : AsNumber(metric->value, otherwise);
}

/// The largest time per iteration that all rows of a table together are exposed or idle beside.
double MostOf(const analysis::catalog::Exposure& exposure) {
  std::vector<std::uint32_t> all(1'000'000);
  std::iota(all.begin(), all.end(), 0U);
  analysis::catalog::ExposureCosts costs(exposure);
  return std::max(costs.Exposed(all).value_or(0), costs.Idle(all));
}

/// A saving is at most an iteration, and at most the total cost of its table's rows; a
/// warning is about at least a hundredth of the iteration.
void CheckGain(const Finding& finding, const analysis::Analysis& analysis) {
  if (!finding.claim.is_known()) return;
  const double iteration = MetricOr(analysis, "iteration.time.mean", 0);
  const double slack = 2;  // Rounding.
  if (iteration > 0) {
    EXPECT_LE(finding.claim.saves, iteration + slack);
  }
  if (finding.status == FindingStatus::kWarn || finding.status == FindingStatus::kError) {
    EXPECT_GE(finding.about_time.value_or(0), 0.01 * iteration - slack);
  }
  const analysis::TableSpec* rows = FindTableByRow(finding.rule->for_each.text);
  if (rows == nullptr) return;
  const auto exposure = analysis.exposures.find(rows->id);
  if (exposure == analysis.exposures.end()) return;
  EXPECT_LE(finding.claim.saves, MostOf(*exposure->second) + slack);
}

/// Real profiles: invariants of all of them, whatever the findings are.
TEST(ShippedRules, FindingsOnRealProfilesHold) {
  const fs::path data = fs::path(PROFGAUGE_SHARED_DIR) / "data";
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at hand";
  const Shipped shipped;
  std::vector<fs::path> paths = {data / "kineto/dlrm_8ranks"};
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    const std::string name = entry.path().string();
    const bool is_profile = name.find(".expected.") == std::string::npos &&
                            name.find("/malformed/") == std::string::npos;
    if (entry.is_regular_file() && is_profile) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  int judged = 0;
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.filename().string());
    const auto ranks = readers::ReadRun({path.string()}, {});
    if (!ranks) continue;
    const auto analysis = analysis::Analyze(*ranks, {});
    ASSERT_TRUE(analysis) << analysis.error().message;
    ++judged;
    const Evaluation result =
        EvaluateRules(shipped.compiled, *analysis, CollectFacts(*ranks, *analysis), {});
    for (std::size_t i = 0; i < result.findings.size(); ++i) {
      const Finding& finding = result.findings[i];
      SCOPED_TRACE(finding.rule->id);
      EXPECT_NE(finding.status, FindingStatus::kBroken) << finding.reason;
      if (finding.status == FindingStatus::kNotApplicable) {
        EXPECT_NE(finding.reason, "");
      }
      EXPECT_LE(finding.worth, 1);
      CheckGain(finding, *analysis);
      if (finding.cause) {
        EXPECT_LT(*finding.cause, i) << "a cause stands before its symptoms";
      }
      if (!Fired(finding.status)) continue;
      EXPECT_NE(finding.message, "");
      // An en dash represents an absent value: a message must not contain one.
      EXPECT_EQ(finding.message.find("\u2013"), std::string::npos) << finding.message;
    }
  }
  EXPECT_GT(judged, 80);
}

}  // namespace
}  // namespace profgauge::rules
