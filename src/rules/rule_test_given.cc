#include "base/whole.h"
#include "rules/rule_test_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "rules/catalogue_words.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kNotGiven = "the test does not give it";

/// A scalar as a value of `unit`; absent for null, and after an error.
Value DecodeValue(Decoder& decoder, const YamlNode& node, std::string_view what, Unit unit) {
  if (decoder.IsNull(node)) return {};
  if (unit == Unit::kText) {
    auto text = decoder.Text(node, what);
    return text ? Value(*std::move(text)) : Value{};
  }
  if (unit == Unit::kBool) {
    const auto flag = decoder.Bool(node, what);
    return flag ? Value(*flag) : Value{};
  }
  const auto number = decoder.NumberOf(node, what, unit);
  if (!number) return {};
  if (CellTypeOf(unit) == CellType::kReal) return *number;
  if (const auto whole = Nearest(*number)) return *whole;
  decoder.Add(node, "config/number",
              fmt::format("`{}`: {} is larger than any {}", what, *number, UnitName(unit)));
  return {};
}

void AddCell(Column& column, const Value& value, StringPool& strings) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    column.AddText(strings.Intern(*text));
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    column.AddInteger(*flag ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    column.AddInteger(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    column.AddReal(*real);
  } else {
    column.AddAbsent();
  }
}

const analysis::TableSpec* FindByRowName(std::string_view row_name) {
  for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
    if (spec.row_name == row_name) return &spec;
  }
  return nullptr;
}

/// Everything is absent at first, with a reason that names the test; each key then gives one
/// metric, fact or table. So a rule that reads more than its test gives is "not applicable", not a
/// pass.
class GivenBuilder {
 public:
  explicit GivenBuilder(Decoder& decoder) : decoder_(decoder) {
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
      analysis_.metrics.push_back({&spec, {}, std::string(kNotGiven), false, ""});
    }
    for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
      analysis_.tables.emplace_back(spec.id, spec.row_name, InGeneralWords(spec.title), strings_);
      analysis_.absent_tables.emplace(
          spec.id, fmt::format("the test gives no rows called `{}`", spec.row_name));
    }
  }

  Given Build(const YamlNode& node) {
    decoder_.EachNamed(node, "`given`", Names(), [&](const YamlNode& key, const YamlNode& value) {
      if (value.kind == YamlNode::Kind::kList) {
        AddRows(key, value);
      } else if (analysis::DescribeMetric(key.text) != nullptr ||
                 value.kind != YamlNode::Kind::kMap) {
        AddMetric(key, key.text, value);
      } else {
        AddGroup(key, value);
      }
    });
    AddWords();
    return {std::move(analysis_), std::move(facts_)};
  }

 private:
  /// Rows, metrics, facts, and the prefixes of their ids: "gpu.idle", "gpu".
  static std::vector<std::string_view> Names() {
    std::vector<std::string_view> names;
    for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
      if (!table.row_name.empty()) names.push_back(table.row_name);
    }
    for (const std::string_view id : Ids()) {
      names.push_back(id);
      for (std::size_t at = id.find('.'); at != std::string_view::npos; at = id.find('.', at + 1)) {
        names.push_back(id.substr(0, at));
      }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  static std::vector<std::string_view> Ids() {
    std::vector<std::string_view> ids;
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) ids.push_back(spec.id);
    for (const FactSpec& fact : FactCatalogue()) ids.push_back(fact.name);
    return ids;
  }

  /// Those of the vendor that the test gives, else of NVIDIA; words that the test gives are kept.
  void AddWords() {
    const auto vendor = facts_.find("device.vendor");
    const auto* id = vendor == facts_.end() ? nullptr : std::get_if<std::string>(&vendor->second);
    Facts words;
    AddDeviceWords(id == nullptr ? Accelerator::kNvidia : FindAccelerator(*id), words);
    facts_.merge(words);
  }

  /// {idle: {mean: 40%}} is {idle.mean: 40%}.
  void AddGroup(const YamlNode& group, const YamlNode& node) {
    std::vector<std::string_view> rest;
    for (const std::string_view id : Ids()) {
      if (id.starts_with(group.text + ".")) rest.push_back(id.substr(group.text.size() + 1));
    }
    decoder_.EachNamed(
        node, "`given`", rest,
        [&](const YamlNode& key, const YamlNode& value) {
          AddMetric(key, group.text + "." + key.text, value);
        },
        true);
  }

  void AddMetric(const YamlNode& key, const std::string& id, const YamlNode& node) {
    const auto metric = std::find_if(analysis_.metrics.begin(), analysis_.metrics.end(),
                                     [&](const analysis::Metric& m) { return m.spec->id == id; });
    if (metric == analysis_.metrics.end()) {
      if (AddFact(id, node)) return;
      Error& error = decoder_.Add(key, "rules/unknown-metric",
                                  fmt::format("unknown metric `{}`", PrintableShort(id)));
      AddSuggestion(error, id, Ids());
      return;
    }
    if (node.kind == YamlNode::Kind::kMap) {
      const Decoder::Key kKeys[] = {
          {"absent",
           [&](const YamlNode& n) {
             metric->absent_because = decoder_.Text(n, "absent").value_or("");
           }},
          {"value",
           [&](const YamlNode& n) {
             metric->value = DecodeValue(decoder_, n, id, metric->spec->unit);
           }},
          {"low_confidence",
           [&](const YamlNode& n) {
             metric->note = decoder_.Text(n, "low_confidence").value_or("");
             metric->low_confidence = true;
           }},
      };
      decoder_.Map(node, "a metric", kKeys);
    } else {
      metric->value = DecodeValue(decoder_, node, id, metric->spec->unit);
    }
    if (!IsAbsent(metric->value)) metric->absent_because.clear();
  }

  /// Whether `id` names a fact.
  bool AddFact(const std::string& id, const YamlNode& node) {
    for (const FactSpec& fact : FactCatalogue()) {
      if (fact.name != id) continue;
      facts_[id] = DecodeValue(decoder_, node, id, fact.unit);
      return true;
    }
    return false;
  }

  void AddRows(const YamlNode& key, const YamlNode& list) {
    const analysis::TableSpec* spec = FindByRowName(key.text);
    if (spec == nullptr) {
      std::vector<std::string_view> names;
      for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
        if (!table.row_name.empty()) names.push_back(table.row_name);
      }
      Error& error =
          decoder_.Add(key, "rules/unknown-table",
                       fmt::format("there are no rows called `{}`", PrintableShort(key.text)));
      AddSuggestion(error, key.text, names);
      error.notes.push_back(fmt::format("note: rows are called {}", Joined(names)));
      return;
    }
    auto& table =
        analysis_.tables[static_cast<std::size_t>(spec - analysis::TableCatalogue().data())];
    for (const ColumnSpec& column : spec->columns) table.AddColumn(column);
    std::vector<bool> has_value(spec->columns.size(), list.items.empty());
    decoder_.EachItem(list, fmt::format("`{}`", key.text),
                      [&](const YamlNode& row) { AddRow(*spec, row, table, has_value); });
    for (std::size_t i = 0; i < has_value.size(); ++i) {
      if (!has_value[i]) table.columns()[i].MarkAbsent(std::string(kNotGiven));
    }
    analysis_.absent_tables.erase(analysis_.absent_tables.find(spec->id));
  }

  /// Tests name values by their ids, like rules, or by their titles in reports.
  void NameValue(const std::string& name, const YamlNode& node, Value& cell) {
    auto* text = std::get_if<std::string>(&cell);
    const expr::Enumeration* known = KnownValuesOf(name);
    if (text == nullptr || known == nullptr) return;
    std::vector<std::string_view> ids;
    for (const expr::EnumValue& value : known->values) {
      ids.push_back(value.id);
      if (*text == value.id || *text == value.cell) {
        *text = value.cell;
        return;
      }
    }
    if (known->is_open) return;
    Error& error = decoder_.Add(node, "rules/unknown-value",
                                fmt::format("`{}` is never '{}'", name, PrintableShort(*text, 40)));
    AddSuggestion(error, *text, ids);
    error.notes.push_back(fmt::format("note: values are {}", Joined(ids)));
  }

  void AddRow(const analysis::TableSpec& spec, const YamlNode& row, Table& table,
              std::vector<bool>& has_value) {
    std::vector<Value> cells(spec.columns.size());
    std::vector<Decoder::Key> keys;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const ColumnSpec& column = spec.columns[i];
      keys.push_back({column.id, [this, &spec, &cells, &column, i](const YamlNode& n) {
                        cells[i] = DecodeValue(decoder_, n, column.id, column.unit);
                        NameValue(fmt::format("{}.{}", spec.row_name, column.id), n, cells[i]);
                      }});
    }
    decoder_.MapWithNulls(row, fmt::format("a row `{}`", spec.row_name), keys);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      AddCell(table.columns()[i], cells[i], *strings_);
      if (!IsAbsent(cells[i])) has_value[i] = true;
    }
  }

  Decoder& decoder_;
  analysis::Analysis analysis_;
  Facts facts_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
};

}  // namespace

Given DecodeGiven(Decoder& decoder, const YamlNode& node) {
  return GivenBuilder(decoder).Build(node);
}

}  // namespace profgauge::rules
