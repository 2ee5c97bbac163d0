#include "report/redact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <set>
#include <sstream>

#include "report/describe.h"
#include "report/read_report.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

TEST(Redact, TakesFoldersOffFileNamesOnly) {
  const struct {
    std::string_view text, without;
  } kCases[] = {
      {"/home/me/secret/train.py(3): main", "train.py(3): main"},
      {"torch/nn/modules/module.py(1743): _call_impl", "module.py(1743): _call_impl"},
      {"/a/b.py(1): f;/c/d.py(2): g", "b.py(1): f;d.py(2): g"},
      {"cannot read `/data/x/run.json.gz`", "cannot read `run.json.gz`"},
      {R"(C:\Users\me\train.py(3): main)", "train.py(3): main"},
      {"aten::mm", "aten::mm"},
      {"volta_sgemm_128x32_nn", "volta_sgemm_128x32_nn"},
      {"/module/Net::forward/Linear::forward/linear",
       "/module/Net::forward/Linear::forward/linear"},
      {"n/a", "n/a"},
      {"3/4.", "3/4."},
      {"", ""},
  };
  for (const auto& test : kCases) EXPECT_EQ(WithoutFolders(test.text), test.without) << test.text;
}

TEST(Redact, ReportHasNoHostOrFolder) {
  Report report;
  report.profile.name = "gpu-box-17_4711";
  report.profile.sources = {"/home/me/gpu-box-17_4711.pt.trace.json"};
  auto strings = std::make_shared<StringPool>();
  Table ranks("ranks", "rank", "Ranks", strings);
  ranks.AddColumn({"host", "Host", Unit::kText, ""}).AddText(strings->Intern("gpu-box-17"));
  Table ops("ops", "op", "Ops", strings);
  ops.AddColumn({"call_stack", "Call stack", Unit::kText, ""})
      .AddText(strings->Intern("/home/me/a.py(1): f"));
  report.tables.push_back(std::move(ranks));
  report.tables.push_back(std::move(ops));
  report.import = {{"x", Severity::kInfo, "x", 1, {"/home/me/t.json on gpu-box-17"}}};
  report.timeline.tracks = {{"python on gpu-box-17", "Host", TrackType::kThread, 0}};
  report.timeline.kinds = {{"/home/me/a.py(1): f", Category::kPython, ""}};
  Finding finding;
  finding.message = "rank 1 on gpu-box-17 waits";
  finding.evidence = {{std::string("/home/me/a.py(1): f"), std::int64_t{5}}};
  report.findings = {finding};
  Redact(report);
  EXPECT_EQ(report.profile.name, "run");
  EXPECT_EQ(report.profile.sources.front(), "input 1");
  EXPECT_EQ(report.tables[0].At(0, "host"), Value(std::string("host-1")));
  EXPECT_EQ(report.tables[1].At(0, "call_stack"), Value(std::string("a.py(1): f")));
  EXPECT_EQ(report.import[0].examples[0], "t.json on host-1");
  EXPECT_EQ(report.timeline.tracks[0].name, "python on host-1");
  EXPECT_EQ(report.timeline.kinds[0].name, "a.py(1): f");
  EXPECT_EQ(report.findings[0].message, "rank 1 on host-1 waits");
  EXPECT_EQ(report.findings[0].evidence[0][0], Value(std::string("a.py(1): f")));
  EXPECT_EQ(report.findings[0].evidence[0][1], Value(std::int64_t{5}));
}

TEST(Redact, CoversAComparison) {
  Report report;
  report.profile.name = "gpu-box-17_4712";
  report.environment = {{"host", "gpu-box-17"}};
  report.remarks = {{"several-runs", "everything else is about gpu-box-17_4712, the middle one"}};
  Comparison& comparison = report.comparison.emplace();
  comparison.baseline = "gpu-box-17_4711";
  comparison.candidate = "gpu-box-17_4712";
  comparison.differences = {{"sources", "/home/me/a.json", "/home/me/b.json", false}};
  comparison.alike = {{"host", "gpu-box-17"}};
  comparison.waterfall.emplace_back().name = "/home/me/train.py(3): step";
  comparison.kernels.rows.emplace_back().name = "kernel of /home/me/lib.so.1";
  Redact(report);
  EXPECT_EQ(comparison.baseline, "baseline");
  EXPECT_EQ(comparison.candidate, "run");
  EXPECT_EQ(comparison.differences[0].base, "a.json");
  EXPECT_EQ(comparison.alike[0].second, "host-1");
  EXPECT_EQ(comparison.waterfall[0].name, "train.py(3): step");
  EXPECT_EQ(comparison.kernels.rows[0].name, "kernel of lib.so.1");
  EXPECT_EQ(report.remarks[0].text, "everything else is about run, the middle one");
}

TEST(Redact, HidesNamesOfCodeInAllPartsAlike) {
  Report report;
  report.provenance = {{"input", "0123456789abcdef"}};
  auto strings = std::make_shared<StringPool>();
  Table kernels("kernels", "kernel", "Kernels", strings);
  kernels.AddColumn({"name", "Name", Unit::kText, ""}).AddText(strings->Intern("quokka<float>"));
  report.tables.push_back(std::move(kernels));
  report.remarks = {{"x", "before quokka: `wombat` and quokka wait"}};
  Finding finding;
  finding.rule = "gpu/idle";
  finding.key = "gpu/idle@op=quokka";
  finding.message_parts = PartsOf("the host is in `quokka`");
  finding.next = "profgauge compare a.json b.json";
  report.findings = {finding};
  report.plan.emplace().steps.emplace_back().findings = {finding.key};
  report.plan->no_effect = {finding.key};
  report.timeline.kinds = {{"quokka", Category::kPython, ""}};
  Redact(report, Redaction(RedactLevel::kCode));
  const std::string name = std::get<std::string>(report.tables[0].At(0, "name"));
  EXPECT_TRUE(name.starts_with("kernel_") && name.ends_with("<float>")) << name;
  const std::string word = name.substr(0, name.find('<'));
  EXPECT_EQ(report.timeline.kinds[0].name, word);
  EXPECT_EQ(report.findings[0].message_parts[1].text, word);
  EXPECT_EQ(report.findings[0].next, "");
  EXPECT_EQ(report.findings[0].key.find("quokka"), std::string::npos);
  EXPECT_EQ(report.plan->steps[0].findings[0], report.findings[0].key);
  EXPECT_EQ(report.plan->no_effect[0], report.findings[0].key);
  EXPECT_EQ(report.remarks[0].text.find("quokka"), std::string::npos);
  EXPECT_EQ(report.remarks[0].text.find("wombat"), std::string::npos);
  EXPECT_TRUE(report.remarks[0].text.starts_with("before " + word + ": `"));
  EXPECT_EQ(report.provenance[0].second.size(), 64U);
}

constexpr std::string_view kSecret = "/home/anna/secret/run.py on gpu-box-17";

// A file of that shape: each free text is `kSecret`, each number −1.
json::value Filled(const JsonShape& shape, std::string_view key) {
  if (!shape.words.empty()) return json::string(shape.words.front());
  if (shape.items != nullptr || shape.types.contains("array")) {
    json::array all;
    const bool has_cells = shape.items == nullptr || shape.items->types.contains("array");
    if (!has_cells && shape.items != nullptr) all.push_back(Filled(*shape.items, ""));
    return all;
  }
  if (shape.types.contains("object")) {
    json::object object;
    for (const auto& entry : shape.keys) object[entry->key] = Filled(entry->shape, entry->key);
    if (shape.others != nullptr) object["other"] = Filled(*shape.others, "");
    if (key == "environment") object["host"] = "gpu-box-17";
    return object;
  }
  if (shape.types.contains("number")) return json::value(1.5);
  if (shape.types.contains("string")) return json::string(kSecret);
  if (shape.types.contains("boolean")) return json::value(true);
  return json::value(-1);
}

void AddTold(const json::value& value, const std::string& path, std::set<std::string>& told) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, inner] : *object) {
      AddTold(inner, path.empty() ? std::string(key) : path + "." + std::string(key), told);
    }
  } else if (const auto* array = value.if_array()) {
    for (const json::value& inner : *array) AddTold(inner, path, told);
  } else if (const auto* text = value.if_string()) {
    const bool tells =
        text->find("anna") != json::string::npos || text->find("gpu-box-17") != json::string::npos;
    if (tells) told.insert(path);
  }
}

// Texts of the program and of its rules, numbers as they are shown, and words of devices.
constexpr std::string_view kOurs =
    "baseline.anchor baseline.learning_until baseline.mark "
    "comparison.benchmarks comparison.differences.property comparison.metrics.limit "
    "comparison.metrics.metric "
    "comparison.metrics.title comparison.values.metric comparison.values.title comparison.work "
    "findings.counted_with findings.docs findings.evidence.columns.title "
    "findings.evidence_table findings.explains "
    "findings.gain.text findings.message_parts.href findings.rule findings.title "
    "gate.counted_with gate.limit.text gate.metric gate.text gate.title import.other.text "
    "left_out.id left_out.title metrics.other.definition metrics.other.formula "
    "metrics.other.source metrics.other.text metrics.other.title "
    "plan.not_simulated_rule plan.not_simulated_saves plan.steps.rules plan.steps.saves.text "
    "profile.accelerator profile.captured profile.devices.name profile.dialect profile.format "
    "profile.framework recording.checks.affects recording.checks.do recording.checks.id "
    "recording.checks.title remarks.id tables.other.columns.id tables.other.columns.title "
    "tables.other.row tables.other.title tool verdict.accept_line verdict.accepted.until "
    "verdict.accepted.what verdict.no_verdict.code verdict.no_verdict.do verdict.policy_hash";
// Whoever describes a new field decides here whether what a profile says can be in it.
TEST(Redact, EachTextOfTheFileIsHiddenOrOurs) {
  json::value file = Filled(ReportShape(), "");
  file.as_object()["schema"] = kSchema;
  file.as_object().erase("errors");
  Result<Report> report = ReadReport(json::serialize(file), "report.json");
  ASSERT_TRUE(report) << report.error().message << " " << report.error().where.path;
  Redact(*report);
  JsonWriter out;
  Write(out, *report);
  std::set<std::string> told;
  AddTold(json::parse(out.Take()), "", told);
  for (std::istringstream ours{std::string(kOurs)}; !ours.eof();) {
    std::string path;
    ours >> path;
    EXPECT_EQ(told.erase(path), 1U) << path << " is hidden, or is no longer there";
  }
  std::erase_if(told, [](const std::string& path) {
    constexpr std::string_view kOfNumbers[] = {
        "base",        "current",         "change",      "low",
        "high",        "total",           "total_limit", "chance",
        "sees",        "metric",          "margin",      "time",
        "recorded",    "alone",           "baseline",    "start",
        "end",         "up_to",           "reachable",   "counted",
        "first_calls", "without_profiler"};
    return std::ranges::any_of(kOfNumbers, [&](std::string_view quantity) {
      return path.ends_with(fmt::format(".{}.text", quantity));
    });
  });
  EXPECT_EQ(fmt::format("{}", fmt::join(told, "\n")), "");
}

TEST(RedactSummary, HidesNamesOfCodeAndTheContentHash) {
  Summary summary;
  summary.texts["hash"] = {"0123456789abcdef"};
  summary.texts["format"] = {"kineto"};
  summary.texts["table.kernels.name"] = {"quokka<float>", "ampere_sgemm_128x64_nt"};
  summary.texts["op.name"] = {"aten::mm", "quokka::wombat"};
  summary.texts["op.type"] = {"mm", "wombat"};
  RedactSummary(summary, Redaction(RedactLevel::kCode, "key"));
  const std::string kernel = summary.Texts("table.kernels.name")[0];
  EXPECT_TRUE(kernel.starts_with("kernel_")) << kernel;
  EXPECT_EQ(summary.Texts("table.kernels.name")[1], "ampere_sgemm_128x64_nt");
  EXPECT_EQ(summary.Texts("op.type")[0], "mm");
  EXPECT_TRUE(summary.Texts("op.name")[1].ends_with(summary.Texts("op.type")[1]));
  EXPECT_EQ(summary.Text("format"), "kineto");
  EXPECT_EQ(summary.Text("hash").size(), 64U);
}

TEST(RedactSummary, ProfileHasNoPrivateNames) {
  Summary summary;
  summary.texts["fact.key"] = {"hostname", "Framework", "user"};
  summary.texts["fact.value"] = {"gpu-17", "/home/ada/torch.py 2.4", "ada"};
  summary.texts["kernel.name"] = {"void gemm<float>", "triton /home/ada/work/kernels.py:12"};
  summary.texts["selection"] = {"marker=/home/x.py"};
  RedactSummary(summary);
  EXPECT_EQ(summary.Texts("fact.key"), std::vector<std::string>{"Framework"});
  EXPECT_EQ(summary.Texts("fact.value"), std::vector<std::string>{"torch.py 2.4"});
  EXPECT_EQ(summary.Texts("kernel.name"),
            (std::vector<std::string>{"void gemm<float>", "triton kernels.py:12"}));
  EXPECT_EQ(summary.Text("selection"), "marker=/home/x.py");
  for (const char* name : {"ada", "gpu-17"}) {
    EXPECT_EQ(EncodeSummary(summary).find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace profgauge::report
