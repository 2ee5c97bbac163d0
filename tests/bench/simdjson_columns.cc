// The time that a reader of Kineto's traces would take with simdjson On-Demand: simdjson_columns
// TRACE.json
//
// Takes the columns that the program's own reader takes of most events: category, name, process,
// thread, times in nanoseconds, ids of correlation and of the launching event, stream, device, grid
// and block, and the texts of shapes and types. Less than the reader does: nothing is checked,
// linked, sorted or hashed. For ci/bench.sh, which compares `inspect` with it; prints its counts.
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

namespace ondemand = simdjson::ondemand;

class Texts {
 public:
  std::uint32_t IdOf(std::string_view text) {
    const auto known = ids_.find(text);
    if (known != ids_.end()) return known->second;
    const auto id = static_cast<std::uint32_t>(ids_.size());
    return ids_.emplace(std::string(text), id).first->second;
  }
  std::size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

struct Row {
  std::uint32_t category = 0, name = 0, process = 0, thread = 0, shapes = 0, types = 0;
  std::uint32_t grid = 0, block = 0;
  std::int64_t start = 0, duration = 0, correlation = -1, external = -1, stream = -1, device = -1;
};

// Microseconds with up to three decimals, as recordings have them; exact in nanoseconds.
std::int64_t Nanoseconds(std::string_view token) {
  std::int64_t whole = 0;
  const char* const end = token.data() + token.size();
  const char* at = std::from_chars(token.data(), end, whole).ptr;
  std::int64_t part = 0, scale = 1000;
  if (at != end && *at == '.') {
    for (++at; at != end && *at >= '0' && *at <= '9' && scale > 1; ++at) {
      part = part * 10 + (*at - '0');
      scale /= 10;
    }
  }
  return whole * 1000 + part * scale;
}

struct Columns {
  std::vector<Row> rows;
  Texts texts;
};

void TakeArguments(ondemand::object arguments, Columns& columns, Row& row) {
  for (auto field : arguments) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    if (key == "correlation") {
      row.correlation = value.get_int64();
    } else if (key == "External id") {
      row.external = value.get_int64();
    } else if (key == "stream") {
      row.stream = value.get_int64();
    } else if (key == "device") {
      row.device = value.get_int64();
    } else if (key == "grid") {
      row.grid = columns.texts.IdOf(simdjson::to_json_string(value));
    } else if (key == "block") {
      row.block = columns.texts.IdOf(simdjson::to_json_string(value));
    } else if (key == "Input Dims") {
      row.shapes = columns.texts.IdOf(simdjson::to_json_string(value));
    } else if (key == "Input type") {
      row.types = columns.texts.IdOf(simdjson::to_json_string(value));
    }
  }
}

void TakeEvent(ondemand::object event, Columns& columns) {
  Row row;
  bool is_complete = false;
  for (auto field : event) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    if (key == "ph") {
      is_complete = value.get_string().value() == "X";
    } else if (key == "cat") {
      row.category = columns.texts.IdOf(value.get_string());
    } else if (key == "name") {
      row.name = columns.texts.IdOf(value.get_string());
    } else if (key == "pid") {
      row.process = columns.texts.IdOf(value.raw_json_token());
    } else if (key == "tid") {
      row.thread = columns.texts.IdOf(value.raw_json_token());
    } else if (key == "ts") {
      row.start = Nanoseconds(value.raw_json_token());
    } else if (key == "dur") {
      row.duration = Nanoseconds(value.raw_json_token());
    } else if (key == "args") {
      TakeArguments(value.get_object(), columns, row);
    }
  }
  if (is_complete) columns.rows.push_back(row);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: simdjson_columns TRACE.json\n", stderr);
    return 2;
  }
  try {
    const simdjson::padded_string text = simdjson::padded_string::load(arguments[1]);
    ondemand::parser parser;
    ondemand::document document = parser.iterate(text);
    Columns columns;
    for (auto event : document.find_field_unordered("traceEvents").get_array()) {
      TakeEvent(event.get_object(), columns);
    }
    std::int64_t time = 0;
    for (const Row& row : columns.rows) time += row.duration;
    std::printf("%zu events, %zu texts, %lld ns\n", columns.rows.size(), columns.texts.size(),
                static_cast<long long>(time));
  } catch (const simdjson::simdjson_error& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[1], error.what());
    return 1;
  }
  return 0;
}
