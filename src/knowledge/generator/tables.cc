#include "knowledge/generator/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::knowledge {
namespace {

enum class Is {
  kText,    // A string; a list of strings is their concatenation.
  kNumber,  // As it is written.
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

}  // namespace profgauge::knowledge
