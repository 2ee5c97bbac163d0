#include "subset.h"

#include <boost/json.hpp>
#include <cmath>
#include <optional>

namespace profgauge::cases {
namespace {

namespace json = boost::json;

std::string Text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

std::string Short(const json::value& value) {
  std::string text = json::serialize(value);
  if (text.size() > 300) text = text.substr(0, 300) + "…";
  return text;
}

/// Row `row` of a report.json table as an object by column id.
json::object RowObject(const json::object& table, std::size_t row) {
  json::object object;
  const json::array& columns = table.at("columns").as_array();
  const json::array& cells = table.at("rows").as_array().at(row).as_array();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    object[columns[c].as_object().at("id").as_string()] = cells.at(c);
  }
  return object;
}

bool IsTable(const json::value& value) {
  return value.is_object() && value.get_object().contains("columns") &&
         value.get_object().contains("rows");
}

/// The value that `key` addresses inside `actual`; nothing if it is missing.
std::optional<json::value> Step(const json::value& actual, std::string_view key) {
  if (actual.is_object()) {
    if (const json::value* found = actual.get_object().if_contains(key)) return *found;
  }
  if (actual.is_array() && !key.empty() &&
      key.find_first_not_of("0123456789") == std::string_view::npos) {
    const std::size_t index = std::stoull(std::string(key));
    if (index < actual.get_array().size()) return actual.get_array()[index];
    return std::nullopt;
  }
  const std::size_t equals = key.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view field = key.substr(0, equals), wanted = key.substr(equals + 1);
  const bool table = IsTable(actual);
  const std::size_t size = table               ? actual.at("rows").as_array().size()
                           : actual.is_array() ? actual.get_array().size()
                                               : 0;
  for (std::size_t i = 0; i < size; ++i) {
    const json::value element =
        table ? json::value(RowObject(actual.get_object(), i)) : actual.get_array()[i];
    const json::value* cell =
        element.is_object() ? element.get_object().if_contains(field) : nullptr;
    if (cell != nullptr && Text(*cell) == wanted) return element;
  }
  return std::nullopt;
}

bool SameScalar(const json::value& expected, const json::value& actual) {
  if (expected.is_number() && actual.is_number()) {
    if (!expected.is_double() && !actual.is_double()) return expected == actual;
    const double a = expected.to_number<double>(), b = actual.to_number<double>();
    return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
  }
  return expected == actual;
}

void Compare(const json::value& expected, const json::value& actual, const std::string& path,
             std::vector<std::string>& differences) {
  const auto differ = [&] {
    differences.push_back(path + ": expected " + Short(expected) + ", found " + Short(actual));
  };
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.get_object()) {
      const std::string here = path + "." + std::string(key);
      const std::optional<json::value> found = Step(actual, key);
      if (!found) {
        differences.push_back(here + ": expected " + Short(value) + ", found nothing");
      } else {
        Compare(value, *found, here, differences);
      }
    }
  } else if (expected.is_array()) {
    if (!actual.is_array() || actual.get_array().size() != expected.get_array().size()) {
      return differ();
    }
    for (std::size_t i = 0; i < expected.get_array().size(); ++i) {
      Compare(expected.get_array()[i], actual.get_array()[i], path + "[" + std::to_string(i) + "]",
              differences);
    }
  } else if (!SameScalar(expected, actual)) {
    differ();
  }
}

json::value Updated(const json::value& expected, const json::value& actual) {
  if (!expected.is_object()) return actual;
  json::object result;
  for (const auto& [key, value] : expected.get_object()) {
    const std::optional<json::value> found = Step(actual, key);
    if (found) result[key] = Updated(value, *found);
  }
  return result;
}

/// Objects of scalars on one line, others indented: expectations are read by people.
void Pretty(const json::value& value, const std::string& indent, std::string& out) {
  const bool flat = !value.is_object() || json::serialize(value).size() + indent.size() <= 96;
  if (flat) {
    out += json::serialize(value);
    return;
  }
  out += "{\n";
  bool first = true;
  for (const auto& [key, member] : value.get_object()) {
    if (!first) out += ",\n";
    first = false;
    out += indent + "  " + json::serialize(json::value(key)) + ": ";
    Pretty(member, indent + "  ", out);
  }
  out += "\n" + indent + "}";
}

}  // namespace

std::vector<std::string> SubsetDifferences(std::string_view expected, std::string_view actual) {
  std::vector<std::string> differences;
  json::error_code error;
  const json::value want = json::parse(expected, error);
  if (error) return {"report.expect is not JSON: " + error.message()};
  const json::value have = json::parse(actual, error);
  if (error) return {"report.json is not JSON: " + error.message()};
  Compare(want, have, "", differences);
  return differences;
}

std::string UpdateSubset(std::string_view expected, std::string_view actual) {
  std::string text;
  Pretty(Updated(json::parse(expected), json::parse(actual)), "", text);
  return text + "\n";
}

}  // namespace profgauge::cases
