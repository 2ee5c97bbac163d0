// Reads the parts of a baseline that explain its iteration times: parts of iterations, kernels and
// operators.
#include <array>
#include <utility>

#include <boost/json.hpp>

#include "gate/baseline_parser.h"
#include "gate/snapshot.h"
#include "gate/statistics.h"

namespace profgauge::gate {
namespace {

namespace json = boost::json;

}  // namespace

Result<analysis::breakdown::TimePart> BaselineParser::OnePart(const json::value& value,
                                                              const json::array& strings,
                                                              const std::string& path) const {
  constexpr std::size_t kNames = 5;
  constexpr std::size_t kNumbers = 8;
  const auto* list = value.if_array();
  if (list == nullptr || list->size() < kNumbers || list->size() > kNumbers + 1) {
    return Fail(Bad("field", "expected a list of 8 numbers and maybe a series", path));
  }
  std::array<std::int64_t, kNumbers> numbers{};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (!IsAmount((*list)[i])) {
      return Fail(Bad("field", "expected a number of 0 or more", path));
    }
    numbers[i] = (*list)[i].get_int64();
  }
  analysis::breakdown::TimePart part;
  std::string* const names[kNames] = {&part.category, &part.op_type, &part.op, &part.shapes,
                                      &part.kernel};
  for (std::size_t i = 0; i < kNames; ++i) {
    const auto index = static_cast<std::size_t>(numbers[i]);
    if (index >= strings.size() || !strings[index].is_string()) {
      return Fail(Bad("field", "expected an index into strings", path));
    }
    *names[i] = strings[index].get_string();
  }
  part.position = numbers[5];
  part.count = numbers[6];
  part.time = numbers[7];
  if (list->size() == kNumbers) return part;
  const auto* series = (*list)[kNumbers].if_array();
  if (series == nullptr) return Fail(Bad("field", "expected a list", path));
  PROFGAUGE_TRY(part.series, Times(*series, path));
  return part;
}

Result<std::vector<analysis::breakdown::WorkSum>> BaselineParser::Sums(
    const json::array& list, const json::array& strings, const std::string& path) const {
  constexpr std::size_t kNumbers = 4;
  std::vector<analysis::breakdown::WorkSum> sums;
  for (const json::value& value : list) {
    const auto* row = value.if_array();
    if (row == nullptr || row->size() < kNumbers || row->size() > kNumbers + 1) {
      return Fail(Bad("field", "expected lists of 4 numbers and maybe a series", path));
    }
    std::array<std::int64_t, kNumbers> numbers{};
    for (std::size_t i = 0; i < kNumbers; ++i) {
      if (!IsAmount((*row)[i])) {
        return Fail(Bad("field", "expected a number of 0 or more", path));
      }
      numbers[i] = (*row)[i].get_int64();
    }
    const auto index = static_cast<std::size_t>(numbers[0]);
    if (index >= strings.size() || !strings[index].is_string()) {
      return Fail(Bad("field", "expected an index into strings", path));
    }
    analysis::breakdown::WorkSum& sum = sums.emplace_back();
    sum.name = strings[index].get_string();
    sum.count = numbers[1];
    sum.gpu_time = numbers[2];
    sum.host_time = numbers[3];
    if (row->size() == kNumbers) continue;
    const auto* series = (*row)[kNumbers].if_array();
    if (series == nullptr) return Fail(Bad("field", "expected a list", path));
    PROFGAUGE_TRY(sum.series, Times(*series, path));
  }
  return sums;
}

Result<analysis::breakdown::WorkSums> BaselineParser::Work(const json::object& object,
                                                           const json::array& strings,
                                                           const std::string& prefix) const {
  analysis::breakdown::WorkSums work;
  PROFGAUGE_TRY(work.iterations, Integer(object, "iterations", prefix));
  if (work.iterations < 1) {
    return Fail(Bad("field", "expected at least one iteration", prefix + "iterations"));
  }
  const auto* has_gpu = object.if_contains("has_gpu");
  if (has_gpu == nullptr || !has_gpu->is_bool()) {
    return Fail(Bad("field", "expected true or false", prefix + "has_gpu"));
  }
  work.has_gpu = has_gpu->get_bool();
  PROFGAUGE_TRY(const auto* kernels, Part<json::array>(object, "kernels", prefix));
  PROFGAUGE_TRY(work.kernels, Sums(*kernels, strings, prefix + "kernels"));
  PROFGAUGE_TRY(const auto* ops, Part<json::array>(object, "ops", prefix));
  PROFGAUGE_TRY(work.ops, Sums(*ops, strings, prefix + "ops"));
  for (const auto& [name, list] :
       {std::pair{"collectives", &work.collectives}, std::pair{"modules", &work.modules},
        std::pair{"benchmarks", &work.benchmarks}}) {
    if (!object.contains(name)) continue;
    PROFGAUGE_TRY(const auto* sums, Part<json::array>(object, name, prefix));
    PROFGAUGE_TRY(*list, Sums(*sums, strings, prefix + name));
  }
  return work;
}

Status BaselineParser::AddParts(const json::object& object, const std::string& prefix,
                                Snapshot& run) const {
  PROFGAUGE_TRY(const auto* strings, Part<json::array>(object, "strings", prefix));
  PROFGAUGE_TRY(const auto* parts, Part<json::array>(object, "parts", prefix));
  for (std::size_t i = 0; i < parts->size(); ++i) {
    PROFGAUGE_TRY(analysis::breakdown::TimePart part,
                  OnePart((*parts)[i], *strings, prefix + "parts[" + std::to_string(i) + "]"));
    run.parts.push_back(std::move(part));
  }
  if (object.contains("work")) {
    PROFGAUGE_TRY(const auto* work, Part<json::object>(object, "work", prefix));
    PROFGAUGE_TRY(run.work, Work(*work, *strings, prefix + "work."));
  }
  return {};
}

// Checks that all parts add up to the iterations' time, with or without unobserved time. Rejects a
// file that a merge tool or a person changed, because its waterfall would not add up.
Result<Snapshot> BaselineParser::CheckSum(Snapshot run, const std::string& prefix) const {
  Ns times = 0;
  for (const Ns time : run.iteration_times) {
    if (time > kLongest - times) {
      return Fail(
          Bad("field", "expected iterations of less than 73 years", prefix + "iteration_times"));
    }
    times += time;
  }
  // In older files the parts include unobserved time.
  Ns hidden = 0;
  for (const Ns time : run.iteration_unobserved) hidden += time;
  Ns left = times;  // Counted down, so that no file can overflow a sum.
  bool is_more = false;
  for (const analysis::breakdown::TimePart& part : run.parts) {
    is_more = is_more || part.time > left;
    left -= is_more ? 0 : part.time;
  }
  if (!run.parts.empty() && (is_more || (left != hidden && left != 0))) {
    return Fail(Bad("sum", "the parts do not sum to the iteration times", prefix + "parts"));
  }
  return run;
}

}  // namespace profgauge::gate
