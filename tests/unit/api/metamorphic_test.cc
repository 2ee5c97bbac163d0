// Equal contents give equal results: profiles whose events are shuffled, moved in time, relabeled,
// packed otherwise or written with more words have the same metrics and the same verdict.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kExamples = fs::path(PROFGAUGE_SOURCE_DIR) / "examples";

std::string Unpacked(const fs::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  char bytes[1 << 16];
  for (int got; (got = gzread(file, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(got));
  }
  gzclose(file);
  return text;
}

std::string Packed(std::string_view text) {
  const fs::path path =
      fs::temp_directory_path() / ("metamorphic_" + std::to_string(getpid()) + ".gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  std::string packed((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  fs::remove(path);
  return packed;
}

/// The judgment of a profile.
struct Judged {
  json::object metrics;
  json::value verdict, gate;
};

Judged JudgedOf(std::string_view bytes) {
  const fs::path path =
      fs::temp_directory_path() / ("metamorphic_" + std::to_string(getpid()) + ".json");
  std::ofstream(path, std::ios::binary) << bytes;
  const auto recording = Load({path.string()}, {});
  fs::remove(path);
  EXPECT_TRUE(recording) << recording.error().message;
  if (!recording) return {};
  const auto judged = Evaluate(*recording, {});
  EXPECT_TRUE(judged) << judged.error().front().message;
  if (!judged) return {};
  const json::value report = json::parse(Render(*judged, Format::kJson).value_or("{}"));
  return {report.at("metrics").as_object(), report.at("verdict"), report.at("gate")};
}

const json::value* ValueOf(const json::object& metrics, std::string_view id) {
  const auto* metric = metrics.if_contains(id);
  return metric == nullptr ? nullptr : metric->as_object().if_contains("value");
}

void ExpectSame(const Judged& a, const Judged& b) {
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.gate, b.gate);
  ASSERT_GT(a.metrics.size(), 50U);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [id, metric] : a.metrics) {
    EXPECT_EQ(metric, b.metrics.at(id)) << std::string_view(id);
  }
}

using Change = std::function<void(json::object& event)>;

std::string Changed(const std::string& text, const Change& change) {
  json::value trace = json::parse(text);
  for (json::value& event : trace.at("traceEvents").as_array()) change(event.as_object());
  return json::serialize(trace);
}

bool IsDevice(const json::object& event) {
  const auto* category = event.if_contains("cat");
  return category != nullptr &&
         (category->as_string() == "kernel" || category->as_string().starts_with("gpu_mem"));
}

class Metamorphic : public ::testing::TestWithParam<const char*> {
 protected:
  Metamorphic() : text_(Unpacked(kExamples / GetParam())), judged_(JudgedOf(text_)) {}
  std::string text_;
  Judged judged_;
};

TEST_P(Metamorphic, OrderOfEventsSaysNothing) {
  json::value trace = json::parse(text_);
  json::array& events = trace.at("traceEvents").as_array();
  std::mt19937 random(19);
  std::shuffle(events.begin(), events.end(), random);
  ExpectSame(judged_, JudgedOf(json::serialize(trace)));
}

TEST_P(Metamorphic, NorDoesTheClocksOrigin) {
  ExpectSame(judged_, JudgedOf(Changed(text_, [](json::object& event) {
               if (auto* ts = event.if_contains("ts")) *ts = ts->to_number<double>() + 1'048'576;
             })));
}

TEST_P(Metamorphic, IndependentOfProcessAndStreamNumbers) {
  ExpectSame(judged_, JudgedOf(Changed(text_, [](json::object& event) {
               const bool device = IsDevice(event);
               auto* pid = event.if_contains("pid");
               if (pid != nullptr && pid->is_int64() && pid->as_int64() > 1'000) *pid = 77'777;
               if (!device) return;
               json::object& args = event.at("args").as_object();
               if (auto* stream = args.if_contains("stream")) *stream = stream->as_int64() + 100;
               event["tid"] = event.at("tid").as_int64() + 100;
             })));
}

TEST_P(Metamorphic, NorDoUnknownWords) {
  ExpectSame(judged_, JudgedOf(Changed(text_, [](json::object& event) {
               event["zzz"] = {{"a", {1, 2, "]}"}}};
               if (auto* args = event.if_contains("args")) args->as_object()["new one"] = "\"x\"";
             })));
}

TEST_P(Metamorphic, NorDoesThePacking) {
  ExpectSame(judged_, JudgedOf(Packed(text_)));
  const std::size_t third = text_.size() / 3;
  ExpectSame(judged_, JudgedOf(Packed(text_.substr(0, third)) + Packed(text_.substr(third, third)) +
                               Packed("") + Packed(text_.substr(2 * third))));
}

// Metrics that compare a time with a number of ours or of the hardware's: scaled times change them.
const std::set<std::string_view> kAbsolute = {
    "kernel.short_share",   // Shorter than 10 us.
    "profiler.delay_time",  // 4 us an event.
};

TEST_P(Metamorphic, TimesScale) {
  const Judged twice = JudgedOf(Changed(text_, [](json::object& event) {
    for (const char* key : {"ts", "dur"}) {
      if (auto* time = event.if_contains(key)) *time = 2 * time->to_number<double>();
    }
  }));
  ASSERT_EQ(judged_.metrics.size(), twice.metrics.size());
  std::size_t held = 0;
  for (const auto& [id, metric] : judged_.metrics) {
    const std::string name(id);
    const json::value* value = ValueOf(judged_.metrics, name);
    const json::value* scaled = ValueOf(twice.metrics, name);
    if (value == nullptr || value->is_null()) continue;
    const std::string_view unit = metric.at("unit").as_string();
    const bool is_cause = name.starts_with("gpu.idle_cause.") || name.starts_with("critical.") ||
                          name.starts_with("what_if.");
    if (kAbsolute.contains(name) || is_cause) continue;  // Causes depend on absolute times.
    if (unit != "ns" && unit != "ratio") continue;
    // Steps of a plan may end at a roof, and roofs are rates of the hardware: times do not scale
    // them.
    if (name.starts_with("plan.") || name.starts_with("floor.")) continue;
    if (name.starts_with("flops.") || name.ends_with("bandwidth") || name.ends_with("efficiency")) {
      continue;
    }
    ASSERT_NE(scaled, nullptr) << name;
    const double factor = unit == "ns" ? 2 : 1, was = value->to_number<double>();
    // A replay shortens each segment to a whole nanosecond.
    const double near = unit == "ns" ? 2.0 : 1e-9;
    EXPECT_NEAR(scaled->to_number<double>(), factor * was, near) << name;
    ++held;
  }
  EXPECT_GT(held, 30U);
}

INSTANTIATE_TEST_SUITE_P(Examples, Metamorphic,
                         ::testing::Values("healthy.pt.trace.json.gz", "slow.pt.trace.json.gz"));

}  // namespace
}  // namespace profgauge
