#include <memory>

#include "base/format.h"
#include "base/metric_id.h"
#include "template_check.h"

namespace profgauge::render::testing {
namespace {

report::Quantity Number(Value value, Unit unit) {
  report::Quantity quantity{std::move(value), unit, "", ""};
  quantity.text = FormatValue(quantity.value, unit);
  return quantity;
}

void AddMetric(report::Report& report, MetricId id, Value value, Unit unit) {
  report::Metric metric;
  metric.id = id.text();
  metric.quantity = Number(std::move(value), unit);
  report.metrics.push_back(std::move(metric));
}

// Tables about several ranks: two ranks of two iterations, and three sizes of messages, one of them
// much slower than the others.
void AddRankSteps(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table steps("rank_steps", "rank_step", "Ranks by iteration", strings);
  Column& rank = steps.AddColumn({"rank", "Rank", Unit::kCount, ""});
  Column& step = steps.AddColumn({"step", "Iteration", Unit::kCount, ""});
  Column& waiting = steps.AddColumn({"waiting_exposed", "Waiting", Unit::kTime, ""});
  for (std::int64_t i = 0; i < 4; ++i) {
    rank.AddInteger(i / 2);
    step.AddInteger(i % 2);
    waiting.AddInteger(i);
  }
  report.tables.push_back(std::move(steps));
  Table met("rank_calls", "rank_call", "Selected ranks", strings);
  met.AddColumn({"rank", "Rank", Unit::kCount, ""}).AddInteger(0);
  met.AddColumn({"role", "Which", Unit::kText, ""}).AddText(strings->Intern("x"));
  met.AddColumn({"step", "Iteration", Unit::kCount, ""}).AddInteger(0);
  met.AddColumn({"name", "Collective", Unit::kText, ""}).AddText(strings->Intern("iteration"));
  met.AddColumn({"start", "Start", Unit::kTime, ""}).AddInteger(0);
  met.AddColumn({"duration", "Duration", Unit::kTime, ""}).AddInteger(1);
  report.tables.push_back(std::move(met));
  Table spread("rank_spread", "rank_spread", "Spread", strings);
  spread.AddColumn({"step", "Iteration", Unit::kCount, ""}).AddInteger(0);
  spread.AddColumn({"part", "Of", Unit::kText, ""}).AddText(strings->Intern("waiting"));
  spread.AddColumn({"p95", "p95", Unit::kTime, ""}).AddInteger(1);
  report.tables.push_back(std::move(spread));
  Table sizes("message_sizes", "message_size", "Sizes", strings);
  Column& name = sizes.AddColumn({"name", "Collective", Unit::kText, ""});
  Column& group = sizes.AddColumn({"group", "Group", Unit::kText, ""});
  Column& ranks = sizes.AddColumn({"group_size", "Ranks", Unit::kCount, ""});
  Column& from = sizes.AddColumn({"from", "From", Unit::kBytes, ""});
  Column& calls = sizes.AddColumn({"calls", "Calls", Unit::kCount, ""});
  Column& bytes = sizes.AddColumn({"bytes", "Bytes", Unit::kBytes, ""});
  Column& bus = sizes.AddColumn({"bus_bandwidth", "Bus", Unit::kBandwidth, ""});
  for (std::int64_t i = 0; i < 3; ++i) {
    name.AddText(strings->Intern("x"));
    group.AddText(strings->Intern("x"));
    ranks.AddInteger(2);
    from.AddInteger(1);
    calls.AddInteger(1);
    bytes.AddInteger(1);
    bus.AddReal(i == 0 ? 1 : 10);
  }
  report.tables.push_back(std::move(sizes));
}

void AddAdvice(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table advice("dlprof_advice", "", "Advice", strings);
  advice.AddColumn({"problem", "Problem", Unit::kText, ""}).AddText(strings->Intern("x"));
  advice.AddColumn({"recommendation", "Recommendation", Unit::kText, ""})
      .AddText(strings->Intern("x https://x"));
  report.tables.push_back(std::move(advice));
}

void AddOtherIterations(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table others("other_iterations", "", "Others", strings);
  others.AddColumn({"index", "Iteration", Unit::kCount, ""}).AddInteger(7);
  others.AddColumn({"duration", "Duration", Unit::kTime, ""}).AddInteger(7);
  report.tables.push_back(std::move(others));
}

void AddWhatIf(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table what_if("what_if", "what_if", "What-if scenarios", strings);
  what_if.AddColumn({"name", "Scenario", Unit::kText, ""}).AddText(strings->Intern("x"));
  what_if.AddColumn({"recorded_time", "Recorded", Unit::kTime, ""}).AddInteger(10);
  what_if.AddColumn({"iteration_time", "Predicted", Unit::kTime, ""}).AddInteger(5);
  what_if.AddColumn({"gain", "Saves", Unit::kTime, ""}).AddInteger(5);
  what_if.AddColumn({"gain_share", "Share", Unit::kShare, ""}).AddReal(0.5);
  what_if.AddColumn({"path", "Path", Unit::kText, ""}).AddText(strings->Intern("x"));
  report.tables.push_back(std::move(what_if));
}

void AddSbufAllocations(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table sbuf("sbuf_allocations", "", "SBUF allocations", strings);
  for (const char* column : {"core", "partition", "address"}) {
    sbuf.AddColumn({column, column, Unit::kCount, ""}).AddInteger(0);
  }
  sbuf.AddColumn({"bytes", "Size", Unit::kBytes, ""}).AddInteger(1);
  sbuf.AddColumn({"start", "Start", Unit::kTime, ""}).AddInteger(0);
  sbuf.AddColumn({"end", "End", Unit::kTime, ""}).AddInteger(1);
  report.tables.push_back(std::move(sbuf));
}

void AddMemoryCurve(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table curve("memory_curve", "", "Memory curve", strings);
  Column& device = curve.AddColumn({"device", "Device", Unit::kText, ""});
  Column& at = curve.AddColumn({"time", "Time", Unit::kTime, ""});
  Column& allocated = curve.AddColumn({"allocated", "Allocated", Unit::kBytes, ""});
  for (std::int64_t i = 0; i < 2; ++i) {
    device.AddText(strings->Intern("GPU 0"));
    at.AddInteger(i);
    allocated.AddInteger(i);
  }
  report.tables.push_back(std::move(curve));
}

void AddRanks(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table ranks("ranks", "rank", "Ranks", strings);
  Column& id = ranks.AddColumn({"id", "Rank", Unit::kCount, ""});
  Column& time = ranks.AddColumn({"iteration_time", "Time", Unit::kTime, ""});
  Column& computing = ranks.AddColumn({"compute_only", "Computing", Unit::kTime, ""});
  Column& waiting = ranks.AddColumn({"waiting_time", "Waiting", Unit::kTime, ""});
  for (std::int64_t i = 0; i < 2; ++i) {
    id.AddInteger(i);
    time.AddInteger(10);
    computing.AddInteger(10);
    waiting.AddInteger(i);
  }
  report.tables.push_back(std::move(ranks));
}

void AddIterations(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table iterations("iterations", "iteration", "Iterations", strings);
  Column& index = iterations.AddColumn({"index", "Iteration", Unit::kCount, ""});
  Column& rank = iterations.AddColumn({"rank", "Rank", Unit::kCount, ""});
  Column& duration = iterations.AddColumn({"duration", "Duration", Unit::kTime, ""});
  Column& cpu = iterations.AddColumn({"cpu", "CPU", Unit::kTime, ""});
  for (std::int64_t i = 0; i < 2; ++i) {
    index.AddInteger(0);
    rank.AddInteger(i);
    duration.AddInteger(10);
    cpu.AddInteger(10);
  }
  Column& gpu_time = iterations.AddColumn({"gpu_time", "GPU time", Unit::kTime, ""});
  gpu_time.AddAbsent();
  gpu_time.AddAbsent();
  report.tables.push_back(std::move(iterations));
}

void AddOps(report::Report& report, const std::shared_ptr<StringPool>& strings) {
  Table ops("ops", "op", "Ops", strings);
  ops.AddColumn({"name", "Op", Unit::kText, ""}).AddText(strings->Intern("op"));
  ops.AddColumn({"device_self", "GPU time", Unit::kTime, ""}).AddInteger(5);
  ops.AddColumn({"rank", "Rank", Unit::kCount, ""}).AddInteger(0);
  Column& flops = ops.AddColumn({"flops", "FLOPs", Unit::kFlops, ""});
  flops.AddAbsent();
  flops.MarkAbsent("not recorded");
  report.tables.push_back(std::move(ops));
}

void AddTables(report::Report& report) {
  auto strings = std::make_shared<StringPool>();
  for (const auto add : {AddRankSteps, AddAdvice, AddOtherIterations, AddWhatIf, AddSbufAllocations,
                         AddMemoryCurve, AddRanks, AddIterations, AddOps}) {
    add(report, strings);
  }
}

report::Finding MakeFinding(report::State status) {
  report::Finding finding;
  finding.rule = finding.title = finding.message = "x";
  finding.advice = "- x `x`\n";
  finding.key = "x";
  finding.message_parts = {{TextPart::Kind::kText, "x", {}, Unit::kText, ""},
                           {TextPart::Kind::kNumber, "1", 1.0, Unit::kCount, ""},
                           {TextPart::Kind::kLink, "x", {}, Unit::kText, "x"}};
  finding.advice_parts = {finding.message_parts};
  finding.level = report::State::kError;
  finding.status = status;
  finding.reason = "x `x`";
  finding.saves = {rules::Basis::kSimulated, Number(std::int64_t{1}, Unit::kTime), std::int64_t{1},
                   "x", "x"};
  finding.explains = {"x"};
  finding.rows_unknown = 1;
  finding.evidence_of = 2;
  finding.evidence_heads = {"x"};
  finding.evidence_units = {Unit::kCount};
  finding.evidence = {{std::int64_t{1}}};
  return finding;
}

report::Comparison MakeComparison() {
  report::Comparison comparison;
  comparison.baseline = comparison.candidate = "x";
  comparison.differences = {{"x", "x", "x", true}};
  comparison.alike = {{"x", "x"}};
  comparison.movement = {gate::MovementKind::kParts, "`x` makes it", {"x"}};
  comparison.metrics.emplace_back().metric = "x";
  comparison.values.emplace_back().metric = "y";
  comparison.values.back().change = Number(0.5, Unit::kShare);
  report::ComparisonStep step;
  step.delta = comparison.delta = comparison.current = 1;
  comparison.waterfall = {step};
  report::PairedWork work;
  work.delta = 1;
  comparison.kernels = comparison.ops = {report::Measure::kGpuTime, 0, 1, 1, {work}};
  return comparison;
}

report::Report MakeSchemaReport() {
  report::Report report;
  report.verdict.accepted = {{"iteration.time.median",
                              {},
                              {},
                              "wider model",
                              "anna",
                              "",
                              "accepted by anna up to +10 %: wider model"}};
  report.profile.sources = {"x"};
  report.profile.devices = {{0, 0, "x"}};
  report.profile.iterations_selected = 3;
  report.profile.ranks = 33;  // With bars for the two of its table, and as many of them.
  report.verdict.status = report::State::kFail;
  report.verdict.errors = 1;
  report.verdict.reasons = {"x"};
  report.gate.emplace_back().reason = "x `x`";
  report.gate.emplace_back();
  report.gate.back().status = report::State::kNotApplicable;
  report.gate.back().reason = "x `x`";
  AddMetric(report, metric::kBreakdownTensorCoreKernel, {}, Unit::kShare);
  report.metrics.back().quantity.absent_because = "x `x`";
  AddMetric(report, metric::kBreakdownCpu, 1.0, Unit::kShare);
  AddMetric(report, metric::kCriticalHostShare, 1.0, Unit::kShare);
  AddMetric(report, metric::kCriticalHostTime, std::int64_t{10}, Unit::kTime);
  AddMetric(report, metric::kBreakdownCpuTime, std::int64_t{10}, Unit::kTime);
  AddMetric(report, metric::kIterationTimeMean, std::int64_t{10}, Unit::kTime);
  AddMetric(report, metric::kGpuUtilizationMean, 0.5, Unit::kShare);
  AddMetric(report, metric::kMemoryPeakAllocated, std::int64_t{1}, Unit::kBytes);
  AddMetric(report, metric::kMemoryPeakReserved, {}, Unit::kBytes);
  report.metrics.back().quantity.absent_because = "x";
  using enum report::State;
  for (const report::State status : {kError, kWaived, kGood, kNotFound, kNotApplicable}) {
    report.findings.push_back(MakeFinding(status));
  }
  report.plan.emplace();
  report::PlanStep& step = report.plan->steps.emplace_back();
  step.rules = {"x", "y"};
  step.title = step.change = "x";
  step.time = step.alone = {std::int64_t{1}, Unit::kTime, "x", ""};
  step.high = std::int64_t{1};
  step.saves = report.findings.front().saves;
  step.needs_earlier = true;
  report.plan->no_effect = {"x"};
  AddTables(report);
  report.timeline.kinds = {{"x", Category::kCpu, ""}};
  report.timeline.tracks = {{"x", "x", report::TrackType::kStream, 0}};
  report.timeline.lanes = {{0, 0, 0, 1}};
  report.timeline.start = {0};
  report.timeline.duration = {5};
  report.timeline.kind = {0};
  report.timeline.link = {report::Timeline::kNoLink};
  report.comparison = MakeComparison();
  report.absent_tables = report.environment = report.provenance = {{"x", "x"}};
  report.remarks = {{"x", "x"}};
  report.recording = {Trust::kLimited,
                      {{"x", "x", CheckState::kDoubt, 1, 2, "x", {"idle"}, "x"}, {"y", "y"}}};
  report.import = {{"x", Severity::kDataLoss, "x", 1, {"x"}}};
  return report;
}

}  // namespace

// Everything is there at least once, with the smallest values: a list without an element would let
// a template name anything in it. A new list in a view needs its sample here.
const report::Report& SchemaReport() {
  static const report::Report report = MakeSchemaReport();
  return report;
}

}  // namespace profgauge::render::testing
