#include <fmt/format.h>

#include <algorithm>

#include "base/readable.h"
#include "base/value.h"
#include "render/ci/ci_text.h"
#include "render/shared/escape.h"

namespace profgauge::render {
namespace {

// OpenMetrics wants base units, and names of [a-zA-Z0-9_] only.
struct Exposed {
  std::string name, unit;
  double scale = 1;
};

// iteration.time.median in ns becomes profgauge_iteration_time_median_seconds, scaled by 1e-9.
Exposed ExposedOf(const report::Metric& metric) {
  Exposed exposed;
  exposed.name = "profgauge_" + metric.id;
  std::replace_if(
      exposed.name.begin(), exposed.name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  switch (metric.quantity.unit) {
    case Unit::kTime:
      exposed.unit = "seconds";
      exposed.scale = 1e-9;
      break;
    case Unit::kBytes:
      exposed.unit = "bytes";
      break;
    case Unit::kShare:
      exposed.unit = "ratio";
      break;
    case Unit::kBandwidth:
      exposed.unit = "bytes_per_second";
      break;
    default:
      break;
  }
  if (!exposed.unit.empty()) exposed.name += "_" + exposed.unit;
  return exposed;
}

// The judged changes, as ratios: of the change, and of shares the difference.
template <typename Family>
void ExposeChanges(const report::Comparison& comparison, const Family& family) {
  for (const report::ComparedMetric& metric : comparison.metrics) {
    if (metric.change.unit != Unit::kShare || IsAbsent(metric.change.value)) continue;
    report::Metric named;
    named.id = metric.metric;
    Exposed exposed = ExposedOf(named);
    exposed.name += "_change_ratio";
    exposed.unit = "ratio";
    family(exposed, "Change against the baseline: " + metric.title + ".",
           AsNumber(metric.change.value, 0));
  }
}

}  // namespace

std::string EscapeLabel(std::string_view text) {
  std::string out;
  for (const char c : Readable(text)) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += "\ufffd";
    } else {
      out += c;
    }
  }
  return out;
}

std::string LabelSet(std::string_view run, const Labels& labels) {
  std::string out = fmt::format("run=\"{}\"", EscapeLabel(run));
  for (const auto& [name, value] : labels) {
    out += fmt::format(",{}=\"{}\"", name, EscapeLabel(value));
  }
  return out;
}

// A family is TYPE, UNIT if it has one, HELP and one sample; its name ends with its unit.
std::string RenderOpenMetrics(const report::Report& report, const Labels& labels) {
  const std::string label = "{" + LabelSet(report.profile.name, labels) + "}";
  std::string out;
  const auto family = [&](const Exposed& exposed, std::string_view help, double value) {
    out += fmt::format("# TYPE {} gauge\n", exposed.name);
    if (!exposed.unit.empty()) out += fmt::format("# UNIT {} {}\n", exposed.name, exposed.unit);
    // Fixed decimals: GitLab compares the texts of two branches.
    out += fmt::format("# HELP {} {}\n{}{} {:.9f}\n", exposed.name, EscapeLabel(help), exposed.name,
                       label, value);
  };
  for (const report::Metric& metric : report.metrics) {
    if (IsAbsent(metric.quantity.value)) continue;
    const Exposed exposed = ExposedOf(metric);
    family(exposed, metric.definition, AsNumber(metric.quantity.value, 0) * exposed.scale);
  }
  if (report.comparison) ExposeChanges(*report.comparison, family);
  const auto& verdict = report.verdict;
  if (verdict.status != State::kNotJudged) {
    family({"profgauge_verdict_pass", "", 1}, "1 if the run passed its policy, else 0.",
           verdict.status == State::kPass ? 1 : 0);
    out += fmt::format(
        "# TYPE profgauge_verdict gauge\n"
        "# HELP profgauge_verdict 1 for the state of the run.\n"
        "profgauge_verdict{{{},state=\"{}\"}} 1.000000000\n",
        LabelSet(report.profile.name, labels), report::NameOf(verdict.status));
  }
  family({"profgauge_errors", "", 1}, "Limits and rules missed at level error.",
         static_cast<double>(verdict.errors));
  family({"profgauge_warnings", "", 1}, "Limits and rules missed at level warn.",
         static_cast<double>(verdict.warnings));
  family({"profgauge_open", "", 1}, "Undecided limits: missing values, inconclusive changes.",
         static_cast<double>(verdict.missing + verdict.open));
  return out + "# EOF\n";
}

}  // namespace profgauge::render
