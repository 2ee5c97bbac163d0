#include "knowledge/generator/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::knowledge {
namespace {

enum class Kind { kTime, kShare, kFactor, kCount, kBytes };

// A value as over / under, in nanoseconds, bytes, or ones.
struct Value {
  Kind kind;
  std::int64_t over, under;
  double AsDouble() const { return static_cast<double>(over) / static_cast<double>(under); }
};

struct Suffix {
  std::string_view text;
  Kind kind;
  std::int64_t over, under;  // One unit is over / under base units.
};
constexpr Suffix kSuffixes[] = {
    {" ns", Kind::kTime, 1, 1},         {" us", Kind::kTime, 1'000, 1},
    {" ms", Kind::kTime, 1'000'000, 1}, {" s", Kind::kTime, 1'000'000'000, 1},
    {"%", Kind::kShare, 1, 100},        {"x", Kind::kFactor, 1, 1},
    {" B", Kind::kBytes, 1, 1},         {" KiB", Kind::kBytes, 1024, 1},
    {" MiB", Kind::kBytes, 1 << 20, 1}};

// "12", "0.5": digits and at most nine decimals, as over / under.
bool ReadDecimal(std::string_view text, std::int64_t& over, std::int64_t& under) {
  over = 0, under = 1;
  bool behind_point = false, any = false;
  for (const char c : text) {
    if (c == '.' && !behind_point && any) {
      behind_point = true;
    } else if (c >= '0' && c <= '9' && over < 1'000'000'000'000'000 && under < 1'000'000'000) {
      over = over * 10 + (c - '0');
      if (behind_point) under *= 10;
      any = true;
    } else {
      return false;
    }
  }
  return any;
}

Value Reduced(Kind kind, std::int64_t over, std::int64_t under) {
  const std::int64_t by = std::max<std::int64_t>(1, std::gcd(over, under));
  return {kind, over / by, under / by};
}

// "30 us", "80%", "1/500" (a share), "1.5x", "64 KiB", "8" (a count).
//
//     text       kind      over / under, in base units
//     30 us      time      30000 / 1            whole nanoseconds, or nothing
//     80%        share     4 / 5                reduced
//     1/500      share     1 / 500
//     1.5x       factor    3 / 2
//     64 KiB     bytes     65536 / 1            whole bytes, or nothing
//     8          count     8 / 1                no decimals
//
// Fractions, so that a share of a whole number of nanoseconds is exact (Ratio::Of()).
std::optional<Value> ReadValue(std::string_view text) {
  std::int64_t over = 0, under = 1;
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    std::int64_t one = 1;
    if (!ReadDecimal(text.substr(0, slash), over, one) || one != 1) return std::nullopt;
    if (!ReadDecimal(text.substr(slash + 1), under, one) || one != 1) return std::nullopt;
    if (over == 0 || under == 0) return std::nullopt;
    return Reduced(Kind::kShare, over, under);
  }
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.text)) continue;
    if (!ReadDecimal(text.substr(0, text.size() - suffix.text.size()), over, under)) continue;
    const Value value = Reduced(suffix.kind, over * suffix.over, under * suffix.under);
    const bool whole = suffix.kind == Kind::kTime || suffix.kind == Kind::kBytes;
    if (whole && value.under != 1) return std::nullopt;
    return value;
  }
  if (!ReadDecimal(text, over, under) || under != 1) return std::nullopt;
  return Value{Kind::kCount, over, 1};
}

struct Row {
  std::string id, section, name, means, evidence, used_by;
  Value value;
  bool tunable = false;
  Value least, most;
  int line = 0;

  std::string Constant() const { return "k" + Camel(section) + Camel(name); }
  std::string Member() const { return section + "_" + name; }
};

std::string_view TypeOf(Kind kind) {
  if (kind == Kind::kTime) return "Time";
  return kind == Kind::kShare || kind == Kind::kFactor ? "Ratio" : "Count";
}

std::string_view UnitOf(Kind kind) {
  switch (kind) {
    case Kind::kTime:
      return "Unit::kTime";
    case Kind::kShare:
      return "Unit::kShare";
    case Kind::kFactor:
      return "Unit::kNumber";
    case Kind::kCount:
      return "Unit::kCount";
    case Kind::kBytes:
      break;
  }
  return "Unit::kBytes";
}

// "{1, 500}" of a ratio, "{30000}" of others.
std::string Initializer(const Value& value) {
  if (TypeOf(value.kind) == "Ratio") return fmt::format("{{{}, {}}}", value.over, value.under);
  return fmt::format("{{{}}}", value.over);
}

class Reader {
 public:
  explicit Reader(Source& source) : source_(source) {}

  std::vector<Row> Read() {
    const YAML::Node list = source_.root()["thresholds"];
    if (!list || !list.IsSequence()) {
      source_.Complain(source_.root(), "expected a list `thresholds`");
      return {};
    }
    std::vector<Row> rows;
    for (const YAML::Node& node : list) rows.push_back(ReadRow(node));
    CheckNames(list, rows);
    return rows;
  }

 private:
  Row ReadRow(const YAML::Node& node) {
    source_.CheckKeys(node, {"id", "value", "means", "evidence", "used_by", "policy"});
    Row row;
    row.id = source_.Text(node, "id");
    const std::size_t dot = row.id.find('.');
    row.section = row.id.substr(0, dot);
    row.name = dot == std::string::npos ? "" : row.id.substr(dot + 1);
    if (!IsSnake(row.section) || !IsSnake(row.name)) {
      source_.Complain(node,
                       fmt::format("`{}`: expected an id such as `idle.launch_latency`", row.id));
    }
    row.value = ValueOf(node, "value");
    row.means = source_.Text(node, "means");
    row.evidence = source_.Text(node, "evidence");
    row.used_by = UsersOf(node);
    if (const YAML::Node range = node["policy"]) {
      source_.CheckKeys(range, {"min", "max"});
      row.tunable = true;
      row.least = ValueOf(range, "min"), row.most = ValueOf(range, "max");
      const auto fits = [&](const Value& value) { return value.kind == row.value.kind; };
      if (!fits(row.least) || !fits(row.most)) {
        source_.Complain(range,
                         fmt::format("`{}`: the range has another unit than the value", row.id));
      } else if (row.least.AsDouble() > row.value.AsDouble() ||
                 row.value.AsDouble() > row.most.AsDouble()) {
        source_.Complain(range, fmt::format("`{}`: the value is out of its range", row.id));
      }
    }
    return row;
  }

  Value ValueOf(const YAML::Node& map, const char* key) {
    const std::string text = source_.Text(map, key);
    if (const auto value = ReadValue(text)) return *value;
    source_.Complain(
        map[key] ? map[key] : map,
        fmt::format("`{}`: expected a value such as 30 us, 80%, 1/500, 1.5x, 64 KiB, 8; "
                    "found `{}`",
                    key, text));
    return {Kind::kCount, 0, 1};
  }

  std::string UsersOf(const YAML::Node& node) {
    std::string users;
    for (const YAML::Node& user : node["used_by"]) {
      users += fmt::format("{}{}", users.empty() ? "" : " ", user.Scalar());
    }
    if (users.empty()) source_.Complain(node, "`used_by` lists no file");
    return users;
  }

  void CheckNames(const YAML::Node& list, const std::vector<Row>& rows) {
    std::map<std::string, std::string> constants;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [at, added] = constants.emplace(rows[i].Constant(), rows[i].id);
      if (!added) {
        source_.Complain(
            list[i], fmt::format("`{}` and `{}` are both {}", at->second, rows[i].id, at->first));
      }
      if (i > 0 && rows[i - 1].section > rows[i].section) {
        source_.Complain(list[i],
                         fmt::format("section `{}` comes after `{}`: sections are in order",
                                     rows[i].section, rows[i - 1].section));
      }
    }
  }

  Source& source_;
};

constexpr std::string_view kHead =
    "// Written by profgauge_make_knowledge from rules/knowledge/thresholds.yaml: `profgauge\n"
    "// thresholds explain ID` has the evidence.\n";

// Comment lines of at most 100 characters.
std::string Comment(std::string_view text, std::string_view indent) {
  std::string out, line = fmt::format("{}///", indent);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (line.size() + 1 + (end - at) > 100) {
      out += line + '\n';
      line = fmt::format("{}///", indent);
    }
    line += fmt::format(" {}", text.substr(at, end - at));
    at = end + 1;
  }
  return out + line + '\n';
}

std::string SectionHeader(const std::vector<Row>& rows, std::string_view section) {
  std::string text(kHead);
  text += "#pragma once\n\n#include \"knowledge/quantity.h\"\n\nnamespace profgauge::knowledge {\n";
  for (const Row& row : rows) {
    if (row.section != section || row.tunable) continue;
    text += fmt::format("\n{}inline constexpr {} {}{};\n", Comment(row.means, ""),
                        TypeOf(row.value.kind), row.Constant(), Initializer(row.value));
  }
  return text + "\n}  // namespace profgauge::knowledge\n";
}

std::string TunableHeader(const std::vector<Row>& rows) {
  std::string text(kHead);
  text +=
      "#pragma once\n\n#include \"knowledge/quantity.h\"\n\nnamespace profgauge::knowledge {\n\n"
      "/// Thresholds that a policy may set (`thresholds_of_analysis:`), with their defaults.\n"
      "struct TunableThresholds {\n";
  for (const Row& row : rows) {
    if (!row.tunable) continue;
    text += fmt::format("{}  {} {}{};\n", Comment(row.means, "  "), TypeOf(row.value.kind),
                        row.Member(), Initializer(row.value));
  }
  return text +
         "\n  friend bool operator==(const TunableThresholds&, const TunableThresholds&) = "
         "default;\n"
         "};\n\n}  // namespace profgauge::knowledge\n";
}

// The two functions of a row that a policy may set.
std::string Accessors(const Row& row) {
  const std::string member = "all." + row.Member();
  const std::string_view type = TypeOf(row.value.kind);
  if (type == "Ratio") {
    return fmt::format(
        "[](const TunableThresholds& all) {{ return {0}.value(); }},\n"
        "     [](TunableThresholds& all, double value) {{ {0} = RatioOf(value); }}",
        member);
  }
  return fmt::format(
      "[](const TunableThresholds& all) {{ return static_cast<double>({0}.{1}()); }},\n"
      "     [](TunableThresholds& all, double value) {{ {0} = {2}(std::llround(value)); }}",
      member, type == "Time" ? "ns" : "value", type);
}

std::string Data(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
  std::string text(kHead);
  text +=
      "#include \"knowledge/thresholds.h\"\n\n#include <cmath>\n\n#include "
      "\"knowledge/tunable.h\"\n\n"
      "namespace profgauge::knowledge {\nnamespace {\n\n"
      "// To a billionth: decimals that people write come back as they were.\n"
      "[[maybe_unused]] Ratio RatioOf(double value) {\n"
      "  constexpr std::int64_t kBillion = 1'000'000'000;\n"
      "  return {std::llround(value * static_cast<double>(kBillion)), kBillion};\n}\n\n"
      "constexpr ThresholdRow kRows[] = {\n";
  for (const Row& row : rows) {
    text +=
        fmt::format("    {{{}, {}, {}.0 / {}, {},\n     {},\n     {},\n     {}", Literal(row.id),
                    UnitOf(row.value.kind), row.value.over, row.value.under, Literal(row.means),
                    Literal(row.evidence), Literal(row.used_by), row.tunable);
    if (row.tunable) {
      text += fmt::format(", {}.0 / {}, {}.0 / {},\n     {}", row.least.over, row.least.under,
                          row.most.over, row.most.under, Accessors(row));
    }
    text += "},\n";
  }
  return text +
         "};\n\n}  // namespace\n\nstd::span<const ThresholdRow> Thresholds() { return kRows; }\n\n"
         "const ThresholdRow* FindThreshold(std::string_view id) {\n"
         "  for (const ThresholdRow& row : kRows) {\n    if (row.id == id) return &row;\n  }\n"
         "  return nullptr;\n}\n\n}  // namespace profgauge::knowledge\n";
}

}  // namespace

bool WriteThresholds(const std::filesystem::path& folder, const std::filesystem::path& out) {
  Source source(folder, "thresholds.yaml");
  if (source.mistakes() > 0) return false;
  const std::vector<Row> rows = Reader(source).Read();
  if (source.mistakes() > 0) return false;
  bool written = WriteIfChanged(out / "tunable.h", TunableHeader(rows)) &&
                 WriteIfChanged(out / "thresholds.cc", Data(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].section == rows[i - 1].section) continue;
    const std::string& section = rows[i].section;
    written = WriteIfChanged(out / (section + ".h"), SectionHeader(rows, section)) && written;
  }
  return written;
}

}  // namespace profgauge::knowledge
