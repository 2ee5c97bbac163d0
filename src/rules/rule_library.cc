#include "rules/rule_library.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/text.h"
#include "rules/builtin_files.h"
#include "rules/catalogue_words.h"
#include "rules/policy_decode.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

constexpr Decoder::Word<ArgumentType> kArgumentTypes[] = {
    {"list", ArgumentType::kList},
    {"regex", ArgumentType::kRegex},
    {"text", ArgumentType::kText},
    {"number", ArgumentType::kNumber},
    {"expression", ArgumentType::kExpression}};

bool IsSamePlace(const Where& a, const Where& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

std::string ShownPlace(const Where& where) {
  return fmt::format("{}:{}", Printable(std::filesystem::path(where.file).filename().string()),
                     where.line);
}

void AddTwice(Decoder& decoder, std::string_view name, const Where& first, const Where& second) {
  decoder.Add(second, "rules/name",
              fmt::format("`{}` is already a name of {}", PrintableShort(name), ShownPlace(first)));
}

/// Where `name` is known as something that expressions can name; nullptr: nowhere.
const Where* FindExpressionName(const RuleLibrary& library, std::string_view name) {
  for (const RuleLet& let : library.let) {
    if (let.name == name) return &let.where;
  }
  if (const auto set = library.sets.find(name); set != library.sets.end()) {
    return &set->second.where;
  }
  const auto pattern = library.patterns.find(name);
  return pattern == library.patterns.end() ? nullptr : &pattern->second.where;
}

/// Whether `key` can be a new name of `library`; else it is an error.
bool IsNew(Decoder& decoder, const YamlNode& key, const RuleLibrary& library) {
  if (!IsRuleName(key.text, '_')) {
    decoder.Add(key, "rules/name",
                fmt::format("expected small letters, digits and `_`, found `{}`",
                            PrintableShort(key.text, 40)));
    return false;
  }
  const Where* known = FindExpressionName(library, key.text);
  if (known == nullptr) return true;
  AddTwice(decoder, key.text, *known, decoder.document().At(key));
  return false;
}

/// `greatest: {id: expression, …}`: NAME is the id of the largest known value, NAME.value it.
///
///     main: {greatest: {copies: a, kernels: b, other: c}}        becomes two names:
///     main.value    greatest_known(a, b, c)
///     main          if(((a) == main.value) default false, 'copies',
///                   if(((b) == main.value) default false, 'kernels',
///                   if(main.value == main.value, 'other', 'other')))
///
/// The first id of equal values. Without any known value both names are absent.
void DecodeGreatest(Decoder& decoder, const YamlNode& key, const YamlNode& node,
                    std::vector<RuleLet>& out) {
  const Where where = decoder.document().At(key);
  const std::string value_name = key.text + ".value";
  std::vector<std::pair<std::string, SourceText>> entries;
  decoder.EachEntry(node, "`greatest`", [&](const YamlNode& id, const YamlNode& expression) {
    if (auto text = decoder.Source(expression, id.text)) entries.emplace_back(id.text, *text);
  });
  if (entries.empty()) return;
  std::vector<std::string> ids;
  for (const auto& [id, text] : entries) ids.push_back(id);
  // Values of a column compare with it, and are shown as it is.
  const std::string values_of(FindByValues(ids));
  TextBuilder value(decoder.document().file), name(decoder.document().file);
  for (const auto& [id, text] : entries) {
    value.Inserted(value.size() == 0 ? "greatest_known(" : ", ", where);
    value.Part(text, 0, text.text.size());
    if (&id == &entries.back().first) break;
    name.Inserted("if(((", where);
    name.Part(text, 0, text.text.size());
    name.Inserted(fmt::format(") == {}) default false, {}, ", value_name,
                              QuotedText(CellOfValue(values_of, id))),
                  where);
  }
  value.Inserted(")", where);
  // The last one needs no condition, except that there is a largest at all.
  name.Inserted(fmt::format("if({0} == {0}, {1}, {1}){2}", value_name,
                            QuotedText(CellOfValue(values_of, entries.back().first)),
                            std::string(entries.size() - 1, ')')),
                where);
  out.push_back({value_name, where, value.Take()});
  out.push_back({key.text, where, name.Take(), values_of});
}

/// `case: [{when, text}, …]`: the text of the first item that holds.
///
///     if((when 1) default false, 'text 1', if((when 2) default false, 'text 2', 'last text'))
///
/// An unknown condition counts as false. Without a last text the value is '' where none holds.
void DecodeLetCase(Decoder& decoder, const YamlNode& key, const YamlNode& node,
                   std::vector<RuleLet>& out) {
  const Where where = decoder.document().At(key);
  TextBuilder built(decoder.document().file);
  std::size_t open = 0;
  bool has_last = false;
  decoder.EachItem(node, "`case`", [&](const YamlNode& item) {
    std::optional<SourceText> when;
    std::optional<std::string> text;
    const Decoder::Key kKeys[] = {
        {"when", [&](const YamlNode& n) { when = decoder.Source(n, "when"); }},
        {"text", [&](const YamlNode& n) { text = decoder.Text(n, "text"); }, true},
    };
    decoder.Map(item, "a case", kKeys);
    if (!text || has_last) return;
    if (when) {
      built.Inserted("if((", where);
      built.Part(*when, 0, when->text.size());
      built.Inserted(fmt::format(") default false, {}, ", QuotedText(*text)), where);
      ++open;
    } else {
      built.Inserted(QuotedText(*text), where);
      has_last = true;
    }
  });
  if (open == 0 && !has_last) return;
  built.Inserted((has_last ? "" : "''") + std::string(open, ')'), where);
  out.push_back({key.text, where, built.Take()});
}

// The template points into the document; RuleLibrary::documents keeps those of imports.
void DecodeTemplate(Decoder& decoder, const YamlNode& key, const YamlNode& node, RuleLibrary& out) {
  RuleTemplate made;
  made.name = key.text;
  made.where = decoder.document().At(key);
  made.document = &decoder.document();
  const Decoder::Key kKeys[] = {
      {"with",
       [&](const YamlNode& n) {
         decoder.EachEntry(n, "`with`", [&](const YamlNode& name, const YamlNode& type) {
           const auto found = decoder.OneOf<ArgumentType>(type, "type", kArgumentTypes);
           if (found) made.with.emplace_back(name.text, *found);
         });
       }},
      {"rule",
       [&](const YamlNode& n) {
         made.rule = &n;
         CheckTemplateRule(decoder, n, out);
       },
       true},
  };
  decoder.Map(node, "a template", kKeys);
  if (made.rule == nullptr) return;
  const auto [known, is_new] = out.templates.try_emplace(key.text, made);
  if (!is_new) AddTwice(decoder, key.text, known->second.where, made.where);
}

void DecodeSet(Decoder& decoder, const YamlNode& key, const YamlNode& node, RuleLibrary& out) {
  NamedSet set{decoder.document().At(key), {}};
  for (const SourceText& value : decoder.Sources(node, key.text)) set.values.push_back(value.text);
  if (IsNew(decoder, key, out)) out.sets.emplace(key.text, std::move(set));
}

void DecodePattern(Decoder& decoder, const YamlNode& key, const YamlNode& node, RuleLibrary& out) {
  const auto pattern = decoder.Text(node, key.text);
  if (!pattern) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 compiled(*pattern, options);
  if (!compiled.ok()) {
    decoder.Add(node, "expr/pattern",
                fmt::format("not a regular expression: {}", compiled.error()));
  }
  if (!IsNew(decoder, key, out)) return;
  out.patterns.emplace(key.text, NamedPattern{decoder.document().At(key), *pattern});
}

void DecodeTexts(Decoder& decoder, const YamlNode& key, const YamlNode& node, RuleLibrary& out) {
  NamedTexts texts{decoder.document().At(key), DecodeItems(decoder, node, key.text, out)};
  const auto [known, is_new] = out.texts.try_emplace(key.text, texts);
  if (!is_new) AddTwice(decoder, key.text, known->second.where, texts.where);
}

template <class Map>
void MergeNamed(Decoder& decoder, const Map& from, Map& to) {
  for (const auto& [name, entry] : from) {
    const auto [known, is_new] = to.try_emplace(name, entry);
    if (!is_new && !IsSamePlace(known->second.where, entry.where)) {
      AddTwice(decoder, name, entry.where, known->second.where);
    }
  }
}

/// A name in two imported files is one name if both have it from a third.
void Merge(Decoder& decoder, const RuleLibrary& from, RuleLibrary& to) {
  for (const RuleLet& let : from.let) {
    const Where* known = FindExpressionName(to, let.name);
    if (known == nullptr) {
      to.let.push_back(let);
    } else if (!IsSamePlace(*known, let.where)) {
      AddTwice(decoder, let.name, let.where, *known);
    }
  }
  MergeNamed(decoder, from.sets, to.sets);
  MergeNamed(decoder, from.patterns, to.patterns);
  MergeNamed(decoder, from.texts, to.texts);
  MergeNamed(decoder, from.templates, to.templates);
  to.documents.insert(to.documents.end(), from.documents.begin(), from.documents.end());
}

}  // namespace

bool IsRuleName(std::string_view text, char separator) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [separator](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == separator;
  });
}

void DecodeLet(Decoder& decoder, const YamlNode& key, const YamlNode& value,
               std::vector<RuleLet>& out) {
  if (value.kind != YamlNode::Kind::kMap) {
    auto source = decoder.Source(value, key.text);
    if (source) out.push_back({key.text, decoder.document().At(key), *std::move(source)});
    return;
  }
  const Decoder::Key kKeys[] = {
      {"greatest", [&](const YamlNode& n) { DecodeGreatest(decoder, key, n, out); }},
      {"case", [&](const YamlNode& n) { DecodeLetCase(decoder, key, n, out); }},
  };
  decoder.Map(value, "a name", kKeys);
}

std::vector<Decoder::Key> LibraryKeys(Decoder& decoder, RuleLibrary& out) {
  using Entry = void (*)(Decoder&, const YamlNode&, const YamlNode&, RuleLibrary&);
  const auto entries = [&decoder, &out](std::string_view name, Entry decode) {
    return Decoder::Key{name, [&decoder, &out, name, decode](const YamlNode& n) {
                          decoder.EachEntry(n, fmt::format("`{}`", name),
                                            [&](const YamlNode& key, const YamlNode& value) {
                                              decode(decoder, key, value, out);
                                            });
                        }};
  };
  return {
      entries("let",
              [](Decoder& d, const YamlNode& key, const YamlNode& value, RuleLibrary& library) {
                std::vector<RuleLet> made;
                DecodeLet(d, key, value, made);
                if (made.empty() || !IsNew(d, key, library)) return;
                std::move(made.begin(), made.end(), std::back_inserter(library.let));
              }),
      entries("sets", DecodeSet),
      entries("patterns", DecodePattern),
      entries("texts", DecodeTexts),
      entries("templates", DecodeTemplate),
  };
}

// Depth first, into a library of this file, which is then merged: so texts and templates of an
// import may use its imports. A file that two others import is read twice and merged once.
void AddImport(Decoder& decoder, const YamlNode& import, std::vector<std::string>& importing,
               RuleLibrary& out) {
  const auto name = decoder.Text(import, "imports");
  if (!name) return;
  const std::string path =
      name->starts_with(kBuiltinPrefix) ? *name : ResolvePath(*name, decoder.document().file);
  if (std::find(importing.begin(), importing.end(), path) != importing.end()) {
    decoder.Add(import, "rules/import-circle",
                fmt::format("`{}` imports itself", PrintableShort(*name)));
    return;
  }
  Errors errors;
  auto read = ReadYaml(path, BuiltinKind::kRules, errors);
  if (!read) {
    for (Error& error : errors) {
      error.notes.push_back(
          fmt::format("note: imported by {}", ShownPlace(decoder.document().At(import))));
    }
    decoder.AddAll(std::move(errors));
    return;
  }
  auto document = std::make_shared<const YamlDocument>(*std::move(read));
  RuleLibrary library;
  Decoder inner(*document, errors);
  importing.push_back(path);
  if (const YamlNode* imports = document->root.Find("imports")) {
    for (const YamlNode& item : imports->items) AddImport(inner, item, importing, library);
  }
  importing.pop_back();
  // Everything else in it is decoded where the file itself is loaded.
  for (const Decoder::Key& key : LibraryKeys(inner, library)) {
    if (const YamlNode* node = document->root.Find(key.name)) key.decode(*node);
  }
  library.documents.push_back(std::move(document));
  decoder.AddAll(std::move(errors));
  Merge(decoder, library, out);
}

}  // namespace profgauge::rules
