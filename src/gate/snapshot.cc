#include "gate/snapshot.h"

#include <boost/json.hpp>
#include <cmath>
#include <numeric>

#include "profgauge/version.h"

namespace profgauge {
namespace {

namespace json = boost::json;

constexpr std::string_view kKind = "profgauge-baseline";

json::object WritePart(const TimePart& part) {
  json::object out{{"category", part.category}};
  if (!part.op_type.empty()) out["op_type"] = part.op_type;
  if (!part.op.empty()) out["op"] = part.op;
  if (!part.shapes.empty()) out["shapes"] = part.shapes;
  if (!part.kernel.empty()) out["kernel"] = part.kernel;
  if (part.position != 0) out["position"] = part.position;
  out["count"] = part.count;
  out["time"] = part.time;
  if (!part.series.empty()) out["series"] = json::value_from(part.series);
  return out;
}

json::object WriteSnapshot(const Snapshot& run) {
  json::object environment;
  for (const auto& [key, value] : run.environment) environment[key] = value;
  json::object shares;
  for (const auto& [id, values] : run.iteration_shares) shares[id] = json::value_from(values);
  json::object metrics;
  for (const auto& [id, value] : run.metrics) metrics[id] = value;
  json::array parts;
  for (const TimePart& part : run.parts) parts.push_back(WritePart(part));
  return {{"name", run.name},
          {"source", run.source},
          {"format", run.format},
          {"environment", std::move(environment)},
          {"iteration_times", json::value_from(run.iteration_times)},
          {"iteration_shares", std::move(shares)},
          {"metrics", std::move(metrics)},
          {"parts", std::move(parts)}};
}

// Reads one baseline document; every failure names the field by its path.
class BaselineParser {
 public:
  explicit BaselineParser(const std::string& name) : name_(name) {}

  Result<std::vector<Snapshot>> Parse(std::string_view text) const {
    boost::system::error_code error;
    json::parse_options options;
    options.max_depth = 16;
    const json::value document = json::parse(text, error, {}, options);
    if (error) {
      return Fail(Bad("not-json", "the baseline is not valid JSON: " + error.message(), ""));
    }
    const auto* object = document.if_object();
    const auto* kind = object == nullptr ? nullptr : object->if_contains("kind");
    if (kind == nullptr || !kind->is_string() || kind->get_string() != kKind) {
      Error e = Bad("foreign",
                    "this is not a baseline: expected a JSON object of kind `profgauge-baseline`",
                    "kind");
      e.notes = {"help: write one with `profgauge baseline save PROFILE -o FILE`"};
      return Fail(std::move(e));
    }
    PROFGAUGE_TRY(const std::int64_t schema, Integer(*object, "schema", ""));
    if (schema > kBaselineSchema) {
      Error e = Bad("newer",
                    "the baseline has schema " + std::to_string(schema) +
                        ", this program knows up to " + std::to_string(kBaselineSchema),
                    "schema");
      e.notes = {"help: update profgauge, or save the baseline again with this version"};
      return Fail(std::move(e));
    }
    if (schema < 1) return Fail(Bad("schema", "expected schema 1", "schema"));
    const auto* runs = object->if_contains("runs");
    if (runs == nullptr || !runs->is_array() || runs->get_array().empty()) {
      return Fail(Bad("field", "expected a list of at least one run", "runs"));
    }
    std::vector<Snapshot> snapshots;
    for (std::size_t i = 0; i < runs->get_array().size(); ++i) {
      const std::string path = "runs[" + std::to_string(i) + "]";
      const auto* run = runs->get_array()[i].if_object();
      if (run == nullptr) return Fail(Bad("field", "expected an object", path));
      PROFGAUGE_TRY(Snapshot snapshot, Run(*run, path + "."));
      snapshots.push_back(std::move(snapshot));
    }
    return snapshots;
  }

 private:
  Error Bad(std::string slug, std::string message, std::string path) const {
    Error error;
    error.kind = ErrorKind::kConfig;
    error.code = "baseline/" + std::move(slug);
    error.message = std::move(message);
    error.where.file = name_;
    error.where.path = std::move(path);
    return error;
  }

  Result<std::int64_t> Integer(const json::object& object, const char* key,
                               const std::string& prefix) const {
    const auto* value = object.if_contains(key);
    if (value != nullptr && value->is_int64()) return value->get_int64();
    return Fail(Bad("field", "expected a whole number", prefix + key));
  }

  Result<std::string> Text(const json::object& object, const char* key,
                           const std::string& prefix) const {
    const auto* value = object.if_contains(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    return Fail(Bad("field", "expected text", prefix + key));
  }

  template <class T>
  Result<const T*> Part(const json::object& object, const char* key,
                        const std::string& prefix) const {
    const auto* value = object.if_contains(key);
    const T* part = nullptr;
    if (value != nullptr) {
      if constexpr (std::is_same_v<T, json::object>) part = value->if_object();
      if constexpr (std::is_same_v<T, json::array>) part = value->if_array();
    }
    if (part != nullptr) return part;
    return Fail(Bad("field",
                    std::is_same_v<T, json::object> ? "expected an object" : "expected a list",
                    prefix + key));
  }

  Result<double> Number(const json::value& value, const std::string& path) const {
    boost::system::error_code error;
    const double number = value.to_number<double>(error);
    if (error || !std::isfinite(number)) return Fail(Bad("field", "expected a number", path));
    return number;
  }

  static std::string Optional(const json::object& object, const char* key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
  }

  Result<std::vector<Ns>> Times(const json::array& list, const std::string& path) const {
    std::vector<Ns> times;
    for (const json::value& value : list) {
      if (!value.is_int64() || value.get_int64() < 0) {
        return Fail(Bad("field", "expected whole nanoseconds", path));
      }
      times.push_back(value.get_int64());
    }
    return times;
  }

  Result<TimePart> OnePart(const json::value& value, const std::string& path) const {
    const auto* object = value.if_object();
    if (object == nullptr) return Fail(Bad("field", "expected an object", path));
    TimePart part;
    PROFGAUGE_TRY(part.category, Text(*object, "category", path + "."));
    part.op_type = Optional(*object, "op_type");
    part.op = Optional(*object, "op");
    part.shapes = Optional(*object, "shapes");
    part.kernel = Optional(*object, "kernel");
    if (object->contains("position")) {
      PROFGAUGE_TRY(part.position, Integer(*object, "position", path + "."));
    }
    PROFGAUGE_TRY(part.count, Integer(*object, "count", path + "."));
    PROFGAUGE_TRY(part.time, Integer(*object, "time", path + "."));
    if (object->contains("series")) {
      PROFGAUGE_TRY(const auto* series, Part<json::array>(*object, "series", path + "."));
      PROFGAUGE_TRY(part.series, Times(*series, path + ".series"));
    }
    if (part.count < 0 || part.time < 0) {
      return Fail(Bad("field", "expected no negative number", path));
    }
    return part;
  }

  Result<Snapshot> Run(const json::object& object, const std::string& prefix) const {
    Snapshot run;
    PROFGAUGE_TRY(run.name, Text(object, "name", prefix));
    PROFGAUGE_TRY(run.source, Text(object, "source", prefix));
    PROFGAUGE_TRY(run.format, Text(object, "format", prefix));
    PROFGAUGE_TRY(const auto* environment, Part<json::object>(object, "environment", prefix));
    for (const auto& [key, value] : *environment) {
      if (!value.is_string()) {
        return Fail(Bad("field", "expected text", prefix + "environment." + std::string(key)));
      }
      run.environment.emplace_back(key, value.get_string());
    }
    PROFGAUGE_TRY(const auto* times, Part<json::array>(object, "iteration_times", prefix));
    PROFGAUGE_TRY(run.iteration_times, Times(*times, prefix + "iteration_times"));
    PROFGAUGE_TRY(const auto* shares, Part<json::object>(object, "iteration_shares", prefix));
    for (const auto& [id, list] : *shares) {
      const std::string path = prefix + "iteration_shares." + std::string(id);
      if (!list.is_array() || list.get_array().size() != run.iteration_times.size()) {
        return Fail(Bad("field", "expected one number for each iteration", path));
      }
      auto& values = run.iteration_shares[std::string(id)];
      for (const json::value& value : list.get_array()) {
        PROFGAUGE_TRY(const double share, Number(value, path));
        values.push_back(share);
      }
    }
    PROFGAUGE_TRY(const auto* metrics, Part<json::object>(object, "metrics", prefix));
    for (const auto& [id, value] : *metrics) {
      PROFGAUGE_TRY(run.metrics[std::string(id)],
                    Number(value, prefix + "metrics." + std::string(id)));
    }
    PROFGAUGE_TRY(const auto* parts, Part<json::array>(object, "parts", prefix));
    for (std::size_t i = 0; i < parts->size(); ++i) {
      PROFGAUGE_TRY(TimePart part,
                    OnePart((*parts)[i], prefix + "parts[" + std::to_string(i) + "]"));
      run.parts.push_back(std::move(part));
    }
    return CheckSum(std::move(run), prefix);
  }

  // The parts explain the iteration times exactly, or the file was edited or damaged.
  Result<Snapshot> CheckSum(Snapshot run, const std::string& prefix) const {
    std::uint64_t parts = 0;  // Unsigned, so that no file can overflow a sum.
    std::uint64_t times = 0;
    for (const TimePart& part : run.parts) parts += static_cast<std::uint64_t>(part.time);
    for (const Ns time : run.iteration_times) times += static_cast<std::uint64_t>(time);
    if (!run.parts.empty() && parts != times) {
      return Fail(Bad("sum", "the parts do not sum to the iteration times", prefix + "parts"));
    }
    return run;
  }

  const std::string& name_;
};

}  // namespace

std::string_view Snapshot::Environment(std::string_view key) const {
  for (const auto& [property, value] : environment) {
    if (property == key) return value;
  }
  return {};
}

std::string WriteBaseline(const std::vector<Snapshot>& runs) {
  json::array list;
  for (const Snapshot& run : runs) list.push_back(WriteSnapshot(run));
  const json::object document{{"schema", kBaselineSchema},
                              {"kind", kKind},
                              {"tool", std::string("profgauge ") + kVersion},
                              {"runs", std::move(list)}};
  return json::serialize(document) + "\n";
}

Result<std::vector<Snapshot>> ParseBaseline(std::string_view text, const std::string& name) {
  return BaselineParser(name).Parse(text);
}

}  // namespace profgauge
