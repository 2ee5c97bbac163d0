#include "knowledge/generator/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::knowledge {
namespace {

std::string Content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Source::Source(const std::filesystem::path& folder, const std::string& name) : name_(name) {
  try {
    root_ = YAML::LoadFile((folder / name).string());
  } catch (const YAML::Exception& error) {  // The file is missing or is not YAML.
    fmt::print(stderr, "{}:{}:{}: error: {}\n", name, error.mark.line + 1, error.mark.column + 1,
               error.msg);
    ++mistakes_;
  }
}

void Source::Complain(const YAML::Node& node, std::string_view message) {
  const YAML::Mark mark = node.Mark();
  fmt::print(stderr, "{}:{}:{}: error: {}\n", name_, mark.line + 1, mark.column + 1, message);
  ++mistakes_;
}

std::string Source::Text(const YAML::Node& map, const char* key) {
  std::string text = OptionalText(map, key);
  if (text.empty()) Complain(map, fmt::format("`{}` is missing", key));
  return text;
}

std::string Source::OptionalText(const YAML::Node& map, const char* key) {
  if (!map.IsMap()) return {};
  const YAML::Node value = map[key];
  if (!value) return {};
  if (value.IsScalar()) return value.Scalar();
  std::string joined;
  for (const YAML::Node& part : value) {
    if (part.IsScalar()) joined += part.Scalar();
  }
  return joined;
}

void Source::CheckKeys(const YAML::Node& map, std::initializer_list<std::string_view> keys) {
  if (!map.IsMap()) return Complain(map, "expected a mapping");
  for (const auto& entry : map) {
    const std::string& key = entry.first.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      Complain(entry.first, fmt::format("unknown key `{}`", key));
    }
  }
}

std::string Camel(std::string_view snake) {
  std::string camel;
  bool starts = true;
  for (const char c : snake) {
    if (c == '_') {
      starts = true;
      continue;
    }
    camel += starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    starts = false;
  }
  return camel;
}

bool IsSnake(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string Literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
    } else {
      if (c == '"' || c == '\\') literal += '\\';
      literal += c;
    }
  }
  return literal + '"';
}

bool WriteIfChanged(const std::filesystem::path& path, std::string_view content) {
  if (std::filesystem::exists(path) && Content(path) == content) return true;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << content;
  out.close();
  return static_cast<bool>(out);
}

namespace {

enum class Is {
  kText,    // A string; a list of strings is concatenated.
  kNumber,  // As written.
  kFlag,    // true or false.
  kWord,    // An enumerator: "send_recv" is kSendRecv.
};

struct Field {
  std::string_view key, member;
  Is is = Is::kText;
  bool required = false;
};

struct List {
  std::string_view file, key;
  std::span<const Field> fields;  // In the order of the struct's members.
};

constexpr Field kKernels[] = {{"id", "id", Is::kText, true},
                              {"uses_tensor_core", "verdict", Is::kWord, true},
                              {"of", "part", Is::kWord},
                              {"vendor", "vendor", Is::kWord},
                              {"multiplies", "matrix", Is::kFlag},
                              {"matches", "include", Is::kText, true},
                              {"except", "exclude"}};
constexpr Field kCommunication[] = {{"id", "id", Is::kText, true},
                                    {"kind", "kind", Is::kWord},
                                    {"matches", "include", Is::kText, true},
                                    {"except", "exclude"}};
constexpr Field kCollectives[] = {{"part", "part", Is::kText, true},
                                  {"kind", "kind", Is::kWord, true}};
constexpr Field kVendors[] = {{"sign", "sign", Is::kText, true},
                              {"maker", "maker", Is::kWord, true}};
constexpr Field kPeaks[] = {
    {"name", "name", Is::kText, true},       {"half", "half", Is::kNumber},
    {"bfloat16", "bfloat16", Is::kNumber},   {"tf32", "tf32", Is::kNumber},
    {"float32", "float32", Is::kNumber},     {"float32_matrix", "float32_matrix", Is::kNumber},
    {"float64", "float64", Is::kNumber},     {"float64_matrix", "float64_matrix", Is::kNumber},
    {"float8", "float8", Is::kNumber},       {"int8", "int8", Is::kNumber},
    {"bandwidth", "bandwidth", Is::kNumber}, {"source", "source", Is::kText, true}};
constexpr Field kLinks[] = {{"name", "name", Is::kText, true},
                            {"bus", "bus", Is::kNumber, true},
                            {"peers", "peers", Is::kNumber},
                            {"source", "source", Is::kText, true}};
constexpr Field kWords[] = {{"device", "device", Is::kText, true},
                            {"matrix_unit", "matrix_unit", Is::kText, true},
                            {"matrix_units", "matrix_units", Is::kText, true},
                            {"matrix_unit_hyphened", "matrix_unit_hyphened", Is::kText, true},
                            {"matrix_pipe", "matrix_pipe", Is::kText, true},
                            {"vector_unit", "vector_unit", Is::kText, true},
                            {"core", "core", Is::kText, true},
                            {"multiprocessor", "multiprocessor", Is::kText, true},
                            {"graph", "graph", Is::kText, true},
                            {"collective_library", "collective_library", Is::kText, true},
                            {"operator_library", "operator_library", Is::kText, true},
                            {"fast_fp32", "fast_fp32", Is::kText, true},
                            {"visible_devices", "visible_devices", Is::kText, true},
                            {"alloc_conf", "alloc_conf", Is::kText, true},
                            {"synchronize", "synchronize", Is::kText, true},
                            {"torch", "torch", Is::kText, true},
                            {"vendor", "vendor"}};
constexpr Field kMarkers[] = {{"family", "family", Is::kText, true},
                              {"starts", "starts"},
                              {"matches", "matches"},
                              {"domain", "domain"}};
constexpr Field kSteps[] = {{"engine", "engine", Is::kText, true},
                            {"phase", "phase", Is::kText, true},
                            {"matches", "pattern", Is::kText, true}};
constexpr Field kWitnesses[] = {{"id", "id", Is::kText, true},
                                {"closes", "closes", Is::kFlag},
                                {"matches", "pattern", Is::kText, true}};
constexpr Field kForeign[] = {{"code", "code", Is::kText, true},
                              {"what", "what", Is::kText, true},
                              {"help", "help", Is::kText, true},
                              {"keys", "keys"},
                              {"event", "event"},
                              {"matches", "matches"},
                              {"name", "name"},
                              {"tables", "tables"},
                              {"list", "list", Is::kFlag},
                              {"early", "early", Is::kFlag}};
constexpr Field kTimesForms[] = {{"id", "id", Is::kText, true},
                                 {"title", "title", Is::kText, true},
                                 {"gives", "gives", Is::kWord, true},
                                 {"sign", "sign"},
                                 {"step", "step"},
                                 {"keys", "keys"},
                                 {"rows", "rows"},
                                 {"at", "at"},
                                 {"name", "name"},
                                 {"unit", "unit"},
                                 {"only", "only"},
                                 {"note", "note"},
                                 {"list", "list", Is::kFlag}};
constexpr Field kTiles[] = {{"id", "id", Is::kText, true}, {"matches", "pattern", Is::kText, true}};
constexpr Field kHeadSizes[] = {{"id", "id", Is::kText, true},
                                {"matches", "pattern", Is::kText, true},
                                {"sizes", "sizes", Is::kText, true}};
constexpr Field kHostWork[] = {{"id", "id", Is::kText, true},
                               {"title", "title", Is::kText, true},
                               {"matches", "pattern", Is::kText, true}};
constexpr Field kWorkloadSigns[] = {{"id", "id", Is::kText, true},
                                    {"where", "where", Is::kWord, true},
                                    {"matches", "pattern", Is::kText, true}};
constexpr Field kOneText[] = {{"name", "", Is::kText, true}};

constexpr List kLists[] = {{"names.yaml", "kernels", kKernels},
                           {"names.yaml", "communication", kCommunication},
                           {"names.yaml", "collectives", kCollectives},
                           {"names.yaml", "library_files", kOneText},
                           {"names.yaml", "code_loaders", kOneText},
                           {"names.yaml", "device_operators", kOneText},
                           {"names.yaml", "device_backends", kOneText},
                           {"names.yaml", "public_roots", kOneText},
                           {"names.yaml", "public_words", kOneText},
                           {"names.yaml", "vendors", kVendors},
                           {"names.yaml", "tiles", kTiles},
                           {"names.yaml", "head_sizes", kHeadSizes},
                           {"names.yaml", "host_work", kHostWork},
                           {"names.yaml", "workload_signs", kWorkloadSigns},
                           {"devices.yaml", "peaks", kPeaks},
                           {"devices.yaml", "links", kLinks},
                           {"devices.yaml", "words", kWords},
                           {"markers.yaml", "markers", kMarkers},
                           {"markers.yaml", "steps", kSteps},
                           {"markers.yaml", "witnesses", kWitnesses},
                           {"foreign.yaml", "foreign", kForeign},
                           {"times.yaml", "times_forms", kTimesForms}};

class Writer {
 public:
  Writer(Source& source, const List& list) : source_(source), list_(list) {}

  std::string Write() {
    std::string text = fmt::format(
        "// Written by profgauge_make_knowledge from rules/knowledge/{}.\n", list_.file);
    const YAML::Node rows = source_.root()[std::string(list_.key)];
    if (!rows || !rows.IsSequence()) {
      source_.Complain(source_.root(), fmt::format("expected a list `{}`", list_.key));
      return text;
    }
    for (const YAML::Node& row : rows) text += Row(row);
    return text;
  }

 private:
  std::string Row(const YAML::Node& row) {
    if (list_.fields.front().member.empty()) {  // A list of texts.
      if (!row.IsScalar()) source_.Complain(row, "expected a text");
      return Literal(row.IsScalar() ? row.Scalar() : "") + ",\n";
    }
    if (!row.IsMap()) {
      source_.Complain(row, "expected a mapping");
      return {};
    }
    for (const auto& entry : row) CheckKey(entry.first);
    std::string text;
    for (const Field& field : list_.fields) {
      const std::string key(field.key);
      if (row[key]) {
        text +=
            fmt::format("{}.{} = {}", text.empty() ? "" : ", ", field.member, Value(row, field));
      } else if (field.required) {
        source_.Complain(row, fmt::format("`{}` is missing", key));
      }
    }
    if (const YAML::Node id = row["id"]; id && !ids_.insert(id.Scalar()).second) {
      source_.Complain(id, fmt::format("`{}` is given twice", id.Scalar()));
    }
    return fmt::format("{{{}}},\n", text);
  }

  void CheckKey(const YAML::Node& key) {
    const auto fits = [&](const Field& field) { return field.key == key.Scalar(); };
    if (std::none_of(list_.fields.begin(), list_.fields.end(), fits)) {
      source_.Complain(key, fmt::format("unknown key `{}`", key.Scalar()));
    }
  }

  std::string Value(const YAML::Node& row, const Field& field) {
    const std::string key(field.key);
    const std::string text = source_.OptionalText(row, key.c_str());
    const YAML::Node node = row[key];
    const auto complain = [&](std::string_view expected) {
      source_.Complain(node, fmt::format("`{}`: expected {}, found `{}`", key, expected, text));
    };
    switch (field.is) {
      case Is::kText:
        return Literal(text);
      case Is::kNumber:
        if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) {
          complain("a number");
        }
        return text;
      case Is::kFlag:
        if (text != "true" && text != "false") complain("true or false");
        return text;
      case Is::kWord:
        if (!IsSnake(text)) complain("a word");
        return "k" + Camel(text);
    }
    return {};
  }

  Source& source_;
  const List& list_;
  std::set<std::string> ids_;
};

}  // namespace

bool WriteTables(const std::filesystem::path& folder, const std::filesystem::path& out) {
  bool written = true;
  for (const List& list : kLists) {
    Source source(folder, std::string(list.file));
    if (source.mistakes() > 0) return false;
    const std::string text = Writer(source, list).Write();
    written = source.mistakes() == 0 &&
              WriteIfChanged(out / fmt::format("{}.inc", list.key), text) && written;
  }
  return written;
}

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

// Parses "12", "0.5": digits and at most nine decimals, as over / under.
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
//     30 us      time      30000 / 1            must be whole nanoseconds
//     80%        share     4 / 5                reduced
//     1/500      share     1 / 500
//     1.5x       factor    3 / 2
//     64 KiB     bytes     65536 / 1            must be whole bytes
//     8          count     8 / 1                no decimals
//
// Fractions are used, so that a share of integer nanoseconds is exact (Ratio::Of()).
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

// "{1, 500}" for a ratio, "{30000}" for others.
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
    for (const YAML::Node& node : list) {
      if (node["id"] && node["value"]) values_[node["id"].Scalar()] = node["value"].Scalar();
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
    const auto other = values_.find(text);  // The id of another row, which has the number itself.
    if (const auto value = ReadValue(other == values_.end() ? text : other->second)) return *value;
    source_.Complain(
        map[key] ? map[key] : map,
        fmt::format("`{}`: expected a value such as 30 us, 80%, 1/500, 1.5x, 64 KiB, 8, or the id "
                    "of a row with one; found `{}`",
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
  std::map<std::string, std::string> values_;  ///< By id, as written.
};

constexpr std::string_view kHead =
    "// Written by profgauge_make_knowledge from rules/knowledge/thresholds.yaml: `profgauge\n"
    "// thresholds explain ID` has the evidence.\n";

// Wraps comment lines at 100 characters.
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

// The getter and setter of a row that a policy may set.
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
