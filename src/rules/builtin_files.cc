// Reads configuration files.

#include "rules/builtin_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/files.h"
#include "base/hashes.h"
#include "base/parallel.h"
#include "base/text.h"
#include "rules/catalogue_words.h"
#include "rules/decode.h"
#include "rules/errors.h"
#include "rules/rule.h"
#include "rules/rule_decode.h"
#include "rules/text_builder.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

Error FileError(const std::string& path, std::string_view code, std::string message) {
  Error error{ErrorKind::kConfig, std::string(code), std::move(message), {}, {}};
  error.where.file = path;
  return error;
}

constexpr std::string_view kPresets[] = {"cpu", "recommended", "report-only", "strict", "times"};

std::string NameOfBuiltin(const std::string& path) { return path.substr(kBuiltinPrefix.size()); }

std::string EmbeddedPath(const std::string& name) { return fmt::format("rules/{}.yaml", name); }

Result<std::string> ReadBuiltin(const std::string& path, std::optional<BuiltinKind> kind) {
  const std::string name = NameOfBuiltin(path);
  const std::string_view text = EmbeddedRules(EmbeddedPath(name));
  const bool fits = !kind || IsPresetName(name) == (*kind == BuiltinKind::kPreset);
  if (!text.empty() && fits) return std::string(text);
  const bool wants_preset = kind == BuiltinKind::kPreset;
  Error error = FileError(
      path, "config/no-builtin",
      wants_preset ? "there is no such preset" : "there is no such built-in file of rules");
  const std::vector<std::string> names = BuiltinFiles(kind.value_or(BuiltinKind::kRules));
  const std::vector<std::string_view> views(names.begin(), names.end());
  AddSuggestion(error, path, views);
  error.notes.push_back(
      fmt::format("note: {} {}", wants_preset ? "presets are" : "there are", Joined(views)));
  return Fail(std::move(error));
}

}  // namespace

bool IsPresetName(std::string_view stem) {
  return std::find(std::begin(kPresets), std::end(kPresets), stem) != std::end(kPresets);
}

std::vector<std::string> BuiltinFiles(BuiltinKind kind) {
  std::vector<std::string> names;
  for (const std::string_view path : EmbeddedRulesPaths()) {
    const std::string stem = std::filesystem::path(path).stem().string();
    if (stem.ends_with(".test") || IsPresetName(stem) != (kind == BuiltinKind::kPreset)) continue;
    names.push_back(std::string(kBuiltinPrefix) + stem);
  }
  return names;
}

// Reads at most one byte more than the limit, so that pipes and growing files end, too.
Result<std::string> ReadConfigFile(const std::string& path, std::optional<BuiltinKind> kind) {
  if (path.starts_with(kBuiltinPrefix)) return ReadBuiltin(path, kind);
  auto file = OpenInput(path, Named::kFound);
  if (!file) {
    const NotOpened& problem = file.error();
    switch (problem.why) {
      case NotOpened::Why::kFolder:
        return Fail(FileError(path, "config/directory", "expected a file, found a directory"));
      case NotOpened::Why::kMissing:
        return Fail(FileError(path, "config/missing", problem.Text()));
      case NotOpened::Why::kPipe:
      case NotOpened::Why::kNoFile: {
        Error error = FileError(path, "config/not-a-file", "the path " + problem.Text());
        error.notes.emplace_back("help: give a file");
        return Fail(std::move(error));
      }
      case NotOpened::Why::kOutside: {
        Error error = FileError(path, "config/outside", "the path " + problem.Text());
        error.notes.emplace_back("help: copy it into a folder of `--root`");
        return Fail(std::move(error));
      }
      case NotOpened::Why::kSystem:
        break;
    }
    return Fail(
        FileError(path, "config/unreadable",
                  fmt::format("the file cannot be read: {}", std::strerror(problem.number))));
  }
  std::string text(kLargestConfigFile + 1, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const auto count = file->Read(text.data() + have, text.size() - have);
    if (!count) return Fail(FileError(path, "config/unreadable", "the file cannot be read"));
    if (*count == 0) break;
    have += *count;
  }
  text.resize(have);
  if (text.size() > kLargestConfigFile) {
    Error error = FileError(path, "config/too-large", "the file is larger than 1 MiB");
    error.notes.emplace_back("help: a profile is an argument without an option");
    return Fail(std::move(error));
  }
  return text;
}

std::optional<YamlDocument> ReadYaml(const std::string& path, std::optional<BuiltinKind> kind,
                                     Errors& errors) {
  auto text = ReadConfigFile(path, kind);
  if (!text) {
    errors.push_back(std::move(text).error());
    return std::nullopt;
  }
  if (!path.starts_with(kBuiltinPrefix)) return ParseYaml(*text, path, errors);
  return YamlDocument{path, *std::move(text),
                      DecodeYamlTree(EmbeddedRuleTree(EmbeddedPath(NameOfBuiltin(path))))};
}

// Uses a stable sort: errors at one place keep the order in which they were found.
void SortByPlace(Errors& errors) {
  std::map<std::string, std::size_t> ranks;
  for (const Error& error : errors) ranks.try_emplace(error.where.file, ranks.size());
  std::stable_sort(errors.begin(), errors.end(), [&](const Error& a, const Error& b) {
    return std::tuple(ranks[a.where.file], a.where.line, a.where.column) <
           std::tuple(ranks[b.where.file], b.where.line, b.where.column);
  });
  // Duplicates need not be adjacent: two rules that use a part with two mistakes report A, B, A, B.
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> seen;
  std::erase_if(errors, [&](const Error& error) {
    const auto& [file, line, column] =
        std::tie(error.where.file, error.where.line, error.where.column);
    return line > 0 && !seen.emplace(file, line, column, error.message).second;
  });
}

// Loads rule files: from text, from paths, and the compiled-in ones.

namespace {

namespace fs = std::filesystem;

bool IsRuleFileName(std::string_view name) {
  return name.ends_with(".yaml") && !name.ends_with(".test.yaml");
}

/// Collects the rules of several files and keeps ids unique. Files are decoded in parallel and
/// joined in order, so ids, errors and the hash do not depend on the timing of threads.
class Collector {
 public:
  RuleSet rules;
  Errors errors;

  void AddFile(const std::string& path) { paths_.push_back(path); }

  /// Reads and decodes all files concurrently, and joins them in their order.
  void Read() {
    std::vector<ReadFile> files(paths_.size());
    ForEachAtOnce(
        files.size(), [&](std::size_t i) { files[i] = ReadOne(paths_[i]); },
        ThreadsForAllocation());
    for (ReadFile& file : files) {
      hash_.Add(file.text);
      std::move(file.errors.begin(), file.errors.end(), std::back_inserter(errors));
      rules.is_whole = rules.is_whole && file.has_all_ids;
      for (Rule& rule : file.decoded.rules) {
        Claim(rule.id, rule.place);
        for (const std::string& former : rule.formerly) Claim(former, rule.place);
        rules.rules.push_back(std::move(rule));
      }
    }
  }

  RuleSet Finish(Errors& all) {
    rules.hash = hash_.Hex();
    std::move(errors.begin(), errors.end(), std::back_inserter(all));
    return std::move(rules);
  }

 private:
  struct ReadFile {
    std::string text;
    RuleFile decoded;
    Errors errors;
    bool has_all_ids = true;
  };

  static ReadFile ReadOne(const std::string& path) {
    ReadFile file;
    auto document = ReadYaml(path, BuiltinKind::kRules, file.errors);
    if (!document) {
      file.has_all_ids = false;
      return file;
    }
    Decoder decoder(*document, file.errors);
    DecodeRuleFile(decoder, file.decoded);
    file.has_all_ids =
        file.errors.empty() || (!file.decoded.name_space.empty() &&
                                std::none_of(file.decoded.rules.begin(), file.decoded.rules.end(),
                                             [](const Rule& rule) { return rule.id.empty(); }));
    file.text = std::move(document->source);
    return file;
  }

  void Claim(const std::string& id, const Where& place) {
    if (id.empty()) return;  // Its error was already added.
    const auto [first, is_new] = places_.try_emplace(id, place);
    if (is_new) return;
    Error error{ErrorKind::kConfig,
                "rules/duplicate-id",
                fmt::format("the rule id `{}` is given twice", id),
                place,
                {}};
    error.notes.push_back(fmt::format("note: it is already in {}:{}", Printable(first->second.file),
                                      first->second.line));
    errors.push_back(std::move(error));
  }

  std::vector<std::string> paths_;
  std::map<std::string, Where> places_;
  ContentHash hash_;
};

// Adds the rule files of a folder. A link must lead to a file of the same repository.
void AddFolder(const std::string& path, Collector& collector) {
  std::vector<std::string> files;
  const fs::path root = RepositoryOf(fs::path(path) / "rules");
  for (const FolderEntry& entry : ListEntries(path)) {
    if (!IsRuleFileName(entry.path.filename().string())) continue;
    const bool is_link = entry.kind != EntryKind::kFile;
    if (is_link && !IsWithin(entry.path, root)) {
      collector.errors.push_back(OutsideRepository(entry.path.string(), {}));
      continue;
    }
    files.push_back(entry.path.string());
  }
  if (files.empty()) {
    Error none{
        ErrorKind::kConfig, "rules/no-files", "the folder holds no rule files (*.yaml)", {}, {}};
    none.where.file = path;
    collector.errors.push_back(std::move(none));
  }
  for (const std::string& file : files) {
    // The presets beside the shipped rules are policies, so they are skipped.
    if (!IsPresetName(fs::path(file).stem().string())) collector.AddFile(file);
  }
}

}  // namespace

std::string_view GainBoundName(GainBound bound) {
  switch (bound) {
    case GainBound::kUpper:
      return "upper";
    case GainBound::kTypical:
      return "typical";
    case GainBound::kMeasured:
      return "measured";
  }
  return "upper";
}

namespace {

void ListTexts(const std::vector<TextItem>& items, const std::string& when, std::string& out) {
  for (const TextItem& item : items) {
    std::string holds = when;
    if (item.when) holds += (holds.empty() ? "" : " and ") + item.when->text;
    if (item.items.empty()) {
      if (!out.empty()) out += '\n';
      out += holds.empty() ? item.text.text : fmt::format("({}) {}", holds, item.text.text);
    } else {
      ListTexts(item.items, holds, out);
    }
  }
}

}  // namespace

std::string TextOf(const std::vector<TextItem>& items) {
  std::string out;
  ListTexts(items, "", out);
  return out;
}

const Rule* RuleSet::Find(std::string_view id) const {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return rule.id == id ||
           std::find(rule.formerly.begin(), rule.formerly.end(), id) != rule.formerly.end();
  });
  return found == rules.end() ? nullptr : &*found;
}

tl::expected<RuleFile, Errors> ParseRuleFile(std::string_view text, const std::string& file) {
  Errors errors;
  RuleFile decoded;
  if (const auto document = ParseYaml(text, file, errors)) {
    Decoder decoder(*document, errors);
    DecodeRuleFile(decoder, decoded);
  }
  SortByPlace(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return decoded;
}

void CheckTitles(const std::vector<Rule>& rules, const std::vector<Rule>& others, Errors& errors) {
  std::map<std::string_view, const Rule*> by_title;
  for (const Rule& rule : others) by_title.try_emplace(rule.title, &rule);
  for (const Rule& rule : rules) {
    if (rule.title.empty()) continue;
    const auto first = by_title.find(rule.title);
    if (first == by_title.end() || first->second->id == rule.id) continue;
    errors.push_back({ErrorKind::kConfig,
                      "rules/title",
                      fmt::format("the title is that of `{}`", first->second->id),
                      rule.place,
                      {"help: name the difference in the title"}});
  }
}

RuleSet LoadRulesWithErrors(const std::vector<std::string>& paths, Errors& errors) {
  Collector collector;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!path.starts_with(kBuiltinPrefix) && fs::is_directory(path, ignored)) {
      AddFolder(path, collector);
    } else {
      collector.AddFile(path);
    }
  }
  collector.Read();
  CheckTitles(collector.rules.rules, collector.rules.rules, collector.errors);
  if (collector.errors.empty() && collector.rules.rules.empty() && !paths.empty()) {
    Error none{ErrorKind::kConfig, "rules/none", "there are no rules in it", {}, {}};
    none.where.file = paths.front();
    collector.errors.push_back(std::move(none));
  }
  return collector.Finish(errors);
}

tl::expected<RuleSet, Errors> LoadRules(const std::vector<std::string>& paths) {
  Errors errors;
  RuleSet rules = LoadRulesWithErrors(paths, errors);
  SortByPlace(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return rules;
}

std::vector<std::string> BuiltinRuleFiles() { return BuiltinFiles(BuiltinKind::kRules); }

tl::expected<RuleSet, Errors> LoadBuiltinRules() { return LoadRules(BuiltinRuleFiles()); }

// Decodes `let` names: an expression, the largest of several, or a text by case. Also reads the
// words that every rule file knows.

namespace {

/// Decodes `greatest: {id: expression, …}` into two names: NAME is the id of the largest known
/// value, NAME.value is this value.
///
///     main: {greatest: {copies: a, kernels: b, other: c}}        becomes two names:
///     main.value    greatest_known(a, b, c)
///     main          if(((a) == main.value) default false, 'copies',
///                   if(((b) == main.value) default false, 'kernels',
///                   if(main.value == main.value, 'other', 'other')))
///
/// If values are equal, the first id is used. If no value is known, both names are absent.
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
  // If all ids are values of one column, the name is compared and printed like that column.
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
  // The last id needs no own condition, only that a largest value exists.
  name.Inserted(fmt::format("if({0} == {0}, {1}, {1}){2}", value_name,
                            QuotedText(CellOfValue(values_of, entries.back().first)),
                            std::string(entries.size() - 1, ')')),
                where);
  out.push_back({value_name, where, value.Take()});
  out.push_back({key.text, where, name.Take(), values_of});
}

/// Decodes `case: [{when, text}, …]`: the text of the first item whose condition is true.
///
///     if((when 1) default false, 'text 1', if((when 2) default false, 'text 2', 'last text'))
///
/// An unknown condition counts as false. If the last item has a condition, the default text is ''.
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

/// The document with the names in rules/words.yaml. A test ensures that it has no errors.
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
