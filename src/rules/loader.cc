// Loads rule files: from text, from paths, and the compiled-in ones.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>

#include "base/files.h"
#include "base/hashes.h"
#include "base/parallel.h"
#include "base/text.h"
#include "rules/builtin_files.h"
#include "rules/rule.h"
#include "rules/rule_decode.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

bool IsRuleFileName(std::string_view name) {
  return name.ends_with(".yaml") && !name.ends_with(".test.yaml");
}

/// Collects rules of several files and keeps ids unique.
/// Files are decoded on several threads and joined in their order, so that ids, errors and
/// the hash do not depend on which thread was first.
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
    if (id.empty()) return;  // Its own error was added.
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

// Links in the folder lead to files of its repository.
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
    // The presets beside the shipped rules are policies.
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

}  // namespace profgauge::rules
