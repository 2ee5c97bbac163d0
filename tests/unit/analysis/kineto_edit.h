// Edits of PyTorch traces: the same profile with a later beginning, at another time, or with all
// durations scaled. Text in, text out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_source.h"
#include "readers/kineto/kineto_reader.h"

namespace profgauge::analysis {

/// The text of a file, inflated when it is gzipped.
inline std::string Inflated(const std::string& path) {
  auto source = OpenByteSource(path);
  EXPECT_TRUE(source.has_value()) << path;
  std::string text;
  if (!source) return text;
  std::string buffer(1 << 20, '\0');
  while (true) {
    const auto read = (*source)->Read(std::as_writable_bytes(std::span(buffer)));
    EXPECT_TRUE(read.has_value()) << path;
    if (!read || *read == 0) return text;
    text.append(buffer, 0, *read);
  }
}

inline Result<Profile> ReadTraceText(std::string_view text) {
  const auto source = MakeMemorySource("edited.json", std::as_bytes(std::span(text)));
  return readers::MakeKinetoReader()->Read(*source, {});
}

class KinetoEdit {
 public:
  explicit KinetoEdit(std::string_view text) : trace_(boost::json::parse(text)) {}

  std::string Text() const { return boost::json::serialize(trace_); }

  /// Start of the earliest event, in microseconds as recorded.
  double First() const {
    double first = HUGE_VAL;
    for (const auto& event : Events()) {
      if (IsComplete(event)) first = std::min(first, Number(event, "ts"));
    }
    return first;
  }
  /// The start of the marker "ProfilerStep#`number`".
  double StartOfStep(int number) const {
    const std::string name = "ProfilerStep#" + std::to_string(number);
    for (const auto& event : Events()) {
      if (IsComplete(event) && event.at("name") == boost::json::value(name)) {
        return Number(event, "ts");
      }
    }
    return HUGE_VAL;
  }

  /// As if the profiler had begun at `at`: earlier events were not recorded, except that a device
  /// reports its work when that ends.
  void CutBefore(double at) {
    auto& events = trace_.at("traceEvents").as_array();
    boost::json::array kept;
    for (auto& event : events) {
      const bool gone =
          IsComplete(event) && (IsDevice(event) ? End(event) : Number(event, "ts")) < at;
      if (!gone) kept.push_back(std::move(event));
    }
    events = std::move(kept);
  }
  /// All times move by `by` microseconds.
  void Shift(double by) {
    ForEachTime([by](double time) { return time + by; });
  }

 private:
  static bool IsComplete(const boost::json::value& event) {
    const auto* object = event.if_object();
    if (object == nullptr || !object->contains("ph")) return false;
    return object->at("ph") == "X" && object->contains("ts");
  }
  static bool IsDevice(const boost::json::value& event) {
    const auto* category = event.as_object().if_contains("cat");
    if (category == nullptr || !category->is_string()) return false;
    const std::string_view name = category->as_string();
    return name == "kernel" || name == "gpu_memcpy" || name == "gpu_memset" || name == "Kernel" ||
           name == "Memcpy" || name == "Memset";
  }
  static double Number(const boost::json::value& event, std::string_view key) {
    const auto* value = event.as_object().if_contains(key);
    return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
  }
  static double End(const boost::json::value& event) {
    return Number(event, "ts") + Number(event, "dur");
  }
  const boost::json::array& Events() const { return trace_.at("traceEvents").as_array(); }
  void ForEachTime(const std::function<double(double)>& change) {
    for (auto& event : trace_.at("traceEvents").as_array()) {
      auto* object = event.if_object();
      if (object == nullptr || !object->contains("ts") || !object->at("ts").is_number()) continue;
      object->at("ts") = change(Number(event, "ts"));
    }
  }

  boost::json::value trace_;
};

}  // namespace profgauge::analysis
