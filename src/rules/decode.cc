#include "rules/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::rules {
namespace {

// The number without a plus sign, which outputs write before changes: "+12 %".
std::string_view WithoutPlus(std::string_view number) {
  return number.starts_with('+') ? number.substr(1) : number;
}

/// The kind of a node, for messages: "expected …, found …".
std::string Found(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a mapping";
    case YamlNode::Kind::kBroken:
      break;
    case YamlNode::Kind::kScalar:
      return fmt::format("`{}`", PrintableShort(node.text, 40));
  }
  return "nothing";
}

}  // namespace

std::string Joined(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void AddSuggestion(Error& error, std::string_view word,
                   std::span<const std::string_view> candidates) {
  const std::string_view nearest = DidYouMean(word, candidates);
  if (!nearest.empty()) error.notes.push_back(fmt::format("help: did you mean `{}`?", nearest));
}

Error& Decoder::Add(Where where, std::string_view code, std::string message) {
  errors_.push_back(
      {ErrorKind::kConfig, std::string(code), std::move(message), std::move(where), {}});
  return errors_.back();
}

void Decoder::AddAll(Errors more) {
  for (Error& error : more) errors_.push_back(std::move(error));
}

void Decoder::Map(const YamlNode& node, std::string_view what, std::span<const Key> keys) {
  ReadMap(node, what, keys, false);
}

void Decoder::MapWithNulls(const YamlNode& node, std::string_view what, std::span<const Key> keys) {
  ReadMap(node, what, keys, true);
}

// Decodes keys in file order. Missing keys are reported last, at the mapping.
void Decoder::ReadMap(const YamlNode& node, std::string_view what, std::span<const Key> keys,
                      bool with_nulls) {
  if (asked_ != nullptr) {
    if (node.kind == YamlNode::Kind::kMap) NoteMap(what, keys, with_nulls);
    return;
  }
  if (node.kind == YamlNode::Kind::kBroken) return;
  if (node.kind != YamlNode::Kind::kMap) {
    Add(node, "config/type", fmt::format("{}: expected a mapping, found {}", what, Found(node)));
    return;
  }
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  for (const YamlEntry& entry : node.entries) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const Key& k) { return k.name == entry.key.text; });
    if (key == keys.end()) {
      Error& error =
          Add(entry.key, "config/unknown-key",
              fmt::format("unknown key `{}` in {}", PrintableShort(entry.key.text), what));
      AddSuggestion(error, entry.key.text, names);
      error.notes.push_back(fmt::format("note: keys of {}: {}", what, Joined(names)));
    } else if (entry.value.kind == YamlNode::Kind::kNull && !with_nulls) {
      Add(entry.key, "config/no-value", fmt::format("`{}` has no value", key->name));
    } else {
      key->decode(entry.value);
    }
  }
  for (const Key& key : keys) {
    if (!key.required || node.Find(key.name) != nullptr) continue;
    Add(node, "config/missing-key", fmt::format("{} needs the key `{}`", what, key.name));
  }
}

void Decoder::EachEntry(const YamlNode& node, std::string_view what,
                        const std::function<void(const YamlNode&, const YamlNode&)>& decode) {
  if (asked_ != nullptr) {
    if (node.kind != YamlNode::Kind::kMap) return;
    asked_->is_map = true;
    asked_->what = what;
    asked_->others = {Ask([&](const YamlNode& value) { decode(YamlNode{}, value); })};
    asked_->others.front().is_null = false;
    return;
  }
  ReadEntries(node, what, decode, false);
}

void Decoder::ReadEntries(const YamlNode& node, std::string_view what,
                          const std::function<void(const YamlNode&, const YamlNode&)>& decode,
                          bool with_nulls) {
  if (node.kind == YamlNode::Kind::kBroken) return;
  if (node.kind != YamlNode::Kind::kMap) {
    Add(node, "config/type", fmt::format("{}: expected a mapping, found {}", what, Found(node)));
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    if (entry.value.kind == YamlNode::Kind::kNull && !with_nulls) {
      Add(entry.key, "config/no-value",
          fmt::format("`{}` has no value", PrintableShort(entry.key.text)));
    } else {
      decode(entry.key, entry.value);
    }
  }
}

void Decoder::EachNamed(const YamlNode& node, std::string_view what,
                        std::span<const std::string_view> names,
                        const std::function<void(const YamlNode&, const YamlNode&)>& decode,
                        bool with_nulls) {
  if (asked_ == nullptr) return ReadEntries(node, what, decode, with_nulls);
  if (node.kind != YamlNode::Kind::kMap) return;
  asked_->is_map = true;
  asked_->what = what;
  for (const std::string_view name : names) {
    YamlNode key;
    key.kind = YamlNode::Kind::kScalar;
    key.text = name;
    ShapeKey noted{key.text, false, Ask([&](const YamlNode& value) { decode(key, value); })};
    noted.value.is_null = with_nulls;
    asked_->keys.push_back(std::move(noted));
  }
}

void Decoder::NoteMap(std::string_view what, std::span<const Key> keys, bool with_nulls) {
  asked_->is_map = true;
  asked_->what = what;
  for (const Key& key : keys) {
    ShapeKey noted{std::string(key.name), key.required, Ask(key.decode)};
    noted.value.is_null = with_nulls;
    asked_->keys.push_back(std::move(noted));
  }
}

// Finds the shape that `decode` accepts, by running it on an empty value of each kind:
//
//     decode(scalar)    decoder.Text()      notes is_text
//     decode(list)      decoder.EachItem()  notes is_list, and the shape of an item
//     decode(mapping)   decoder.Map()       notes the keys, and the shape of each value
//
// The caller of the whole report discards the errors of these runs.
Shape Decoder::Ask(const std::function<void(const YamlNode&)>& decode) {
  Shape shape;
  Shape* const outer = std::exchange(asked_, &shape);
  for (const auto kind : {YamlNode::Kind::kScalar, YamlNode::Kind::kList, YamlNode::Kind::kMap}) {
    YamlNode value;
    value.kind = kind;
    decode(value);
  }
  asked_ = outer;
  return shape;
}

Shape* Decoder::AskedForScalar(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar ? asked_ : nullptr;
}

void Decoder::EachItem(const YamlNode& node, std::string_view what,
                       const std::function<void(const YamlNode&)>& decode) {
  if (asked_ != nullptr) {
    if (node.kind != YamlNode::Kind::kList) return;
    asked_->is_list = true;
    asked_->items = {Ask(decode)};
    return;
  }
  if (node.kind == YamlNode::Kind::kBroken) return;
  if (node.kind != YamlNode::Kind::kList) {
    Add(node, "config/type", fmt::format("{}: expected a list, found {}", what, Found(node)));
    return;
  }
  for (const YamlNode& item : node.items) decode(item);
}

bool Decoder::IsScalar(const YamlNode& node, std::string_view what, std::string_view expected) {
  if (node.kind == YamlNode::Kind::kScalar && !Trim(node.text).empty()) return true;
  if (node.kind == YamlNode::Kind::kBroken) return false;
  Error& error = Add(node, "config/type",
                     fmt::format("`{}`: expected {}, found {}", what, expected, Found(node)));
  // Without quotes, YAML reads `{{ x }}` as a mapping within a mapping.
  if (node.kind == YamlNode::Kind::kMap || node.kind == YamlNode::Kind::kList) {
    error.notes.emplace_back("help: put texts in quotes that start with `{` or `[`");
  }
  return false;
}

std::optional<std::string> Decoder::Text(const YamlNode& node, std::string_view what) {
  if (Shape* shape = AskedForScalar(node)) shape->is_text = true;
  if (!IsScalar(node, what, "a text")) return std::nullopt;
  return node.text;
}

std::optional<SourceText> Decoder::Source(const YamlNode& node, std::string_view what) {
  if (Shape* shape = AskedForScalar(node)) shape->is_text = true;
  if (!IsScalar(node, what, "a text")) return std::nullopt;
  return document_.TextOf(node);
}

std::vector<SourceText> Decoder::Sources(const YamlNode& node, std::string_view what) {
  std::vector<SourceText> sources;
  EachItem(node, fmt::format("`{}`", what), [&](const YamlNode& item) {
    if (auto source = Source(item, what)) sources.push_back(*std::move(source));
  });
  return sources;
}

void Decoder::NoteSources(const YamlNode& node, std::string_view what) {
  if (asked_ != nullptr) OneOrMore(node, what);
}

std::vector<SourceText> Decoder::OneOrMore(const YamlNode& node, std::string_view what) {
  if (asked_ != nullptr) asked_->is_text = true;
  if (asked_ != nullptr || node.kind != YamlNode::Kind::kScalar) return Sources(node, what);
  auto source = Source(node, what);
  return source ? std::vector{*std::move(source)} : std::vector<SourceText>{};
}

// Accepts all spellings of an integer: `5`, `+5`, `5.0` and `5e0` are one number.
std::optional<std::int64_t> Decoder::Integer(const YamlNode& node, std::string_view what,
                                             std::int64_t min, std::int64_t max) {
  if (Shape* shape = AskedForScalar(node)) shape->integer = {min, max};
  const std::string expected = fmt::format("a whole number from {} to {}", min, max);
  if (!IsScalar(node, what, expected)) return std::nullopt;
  const auto literal = ParseLiteral(WithoutPlus(node.text));
  const bool whole =
      literal && literal->unit == Unit::kNumber && literal->value == std::floor(literal->value);
  if (whole && literal->value >= static_cast<double>(min) &&
      literal->value <= static_cast<double>(max)) {
    return static_cast<std::int64_t>(literal->value);
  }
  Add(node, "config/number",
      fmt::format("`{}`: expected {}, found {}", what, expected, Found(node)));
  return std::nullopt;
}

std::optional<Literal> Decoder::Number(const YamlNode& node, std::string_view what) {
  if (Shape* shape = AskedForScalar(node)) shape->is_number = true;
  return ReadNumber(node, what);
}

std::optional<Literal> Decoder::NumberAmong(const YamlNode& node, std::string_view what,
                                            std::initializer_list<Unit> units) {
  if (Shape* shape = AskedForScalar(node)) shape->units.insert(units);
  return ReadNumber(node, what);
}

std::optional<Literal> Decoder::UnsignedAmong(const YamlNode& node, std::string_view what,
                                              std::initializer_list<Unit> units,
                                              std::string_view problem) {
  if (Shape* shape = AskedForScalar(node)) shape->is_unsigned = true;
  auto literal = NumberAmong(node, what, units);
  if (!literal || literal->value >= 0) return literal;
  Add(node, "config/number", fmt::format("`{}`: {}", what, problem));
  return std::nullopt;
}

std::optional<Literal> Decoder::ReadNumber(const YamlNode& node, std::string_view what) {
  if (!IsScalar(node, what, "a number with an optional unit")) return std::nullopt;
  auto literal = ParseLiteral(WithoutPlus(Trim(node.text)));
  if (literal) return *literal;
  Add(node, "config/number", fmt::format("`{}`: {}", what, literal.error()));
  return std::nullopt;
}

std::optional<double> Decoder::NumberOf(const YamlNode& node, std::string_view what, Unit unit,
                                        std::string_view note) {
  const auto literal = NumberAmong(node, what, {unit});
  if (!literal) return std::nullopt;
  const auto value = ConvertLiteral(*literal, unit);
  if (value) return *value;
  Error& error = Add(node, "config/unit", fmt::format("`{}`: {}", what, value.error()));
  if (!note.empty()) error.notes.emplace_back(note);
  return std::nullopt;
}

bool Decoder::Is(const YamlNode& node, std::string_view word) {
  if (Shape* shape = AskedForScalar(node)) {
    shape->words.emplace_back(word);
    return false;
  }
  return node.kind == YamlNode::Kind::kScalar && node.text == word;
}

bool Decoder::IsNull(const YamlNode& node) {
  if (asked_ != nullptr) {
    asked_->is_null = true;
    return false;
  }
  return node.kind == YamlNode::Kind::kNull ||
         (node.kind == YamlNode::Kind::kScalar && node.plain && node.text == "null");
}

void Decoder::Schema(const YamlNode& node, std::int64_t number, std::string_view help) {
  if (Shape* shape = AskedForScalar(node)) shape->integer = {number, number};
  if (node.kind == YamlNode::Kind::kScalar && node.text == std::to_string(number)) return;
  Error& error =
      Add(node, "config/schema", fmt::format("expected schema {}, found {}", number, Found(node)));
  if (!help.empty()) error.notes.push_back(fmt::format("help: {}", help));
}

std::size_t Decoder::WordIndex(const YamlNode& node, std::string_view what,
                               std::span<const std::string_view> words) {
  if (Shape* shape = AskedForScalar(node)) {
    shape->words.insert(shape->words.end(), words.begin(), words.end());
    return words.size();
  }
  const std::string expected = fmt::format("one of {}", Joined(words));
  if (!IsScalar(node, what, expected)) return words.size();
  const auto found = std::find(words.begin(), words.end(), node.text);
  if (found == words.end()) {
    Error& error = Add(node, "config/word",
                       fmt::format("`{}`: expected {}, found {}", what, expected, Found(node)));
    AddSuggestion(error, node.text, words);
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace profgauge::rules
