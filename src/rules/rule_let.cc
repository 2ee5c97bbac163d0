// Names of `let`: an expression, the largest of several, or a text by case; and the words that
// every rule file knows.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "rules/builtin_files.h"
#include "rules/catalogue_words.h"
#include "rules/rule_decode.h"
#include "rules/text_builder.h"

namespace profgauge::rules {
namespace {

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

}  // namespace

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

namespace {

/// The mapping of names in rules/words.yaml; a test reads the file and has no errors.
std::optional<YamlDocument> WordsDocument() {
  Errors errors;
  return ReadYaml(std::string(kWordsFile), BuiltinKind::kRules, errors);
}

}  // namespace

const std::vector<RuleLet>& BuiltinWords() {
  static const std::vector<RuleLet> kWords = [] {
    std::vector<RuleLet> words;
    const auto document = WordsDocument();
    const YamlNode* let = document ? document->root.Find("let") : nullptr;
    if (let == nullptr) return words;
    Errors errors;
    Decoder decoder(*document, errors);
    for (const YamlEntry& entry : let->entries) DecodeLet(decoder, entry.key, entry.value, words);
    return words;
  }();
  return kWords;
}

std::vector<std::pair<std::string, std::string>> BuiltinWordTexts() {
  std::vector<std::pair<std::string, std::string>> out;
  const auto document = WordsDocument();
  const YamlNode* let = document ? document->root.Find("let") : nullptr;
  if (let == nullptr) return out;
  for (const YamlEntry& word : let->entries) {
    std::string text = word.value.text;
    if (const YamlNode* greatest = word.value.Find("greatest")) {
      for (const YamlEntry& one : greatest->entries) {
        text += fmt::format("{}{}: {}", text.empty() ? "greatest of " : ", ", one.key.text,
                            one.value.text);
      }
    }
    out.emplace_back(word.key.text, std::move(text));
  }
  return out;
}

}  // namespace profgauge::rules
