// Items of messages, advice and shared texts: DecodeItems().
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "rules/rule_library.h"

namespace profgauge::rules {
namespace {

template <class Map>
std::vector<std::string_view> NamesOf(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : map) names.push_back(name);
  return names;
}

/// `case` in `case` in `case`: no one reads more.
constexpr int kDeepestCase = 3;

/// Texts that use texts grow by powers.
constexpr std::size_t kMostItems = 200;

constexpr std::string_view kItemKeys[] = {"when", "text", "use", "case"};

std::size_t ItemsIn(const std::vector<TextItem>& items) {
  std::size_t count = items.size();
  for (const TextItem& item : items) count += ItemsIn(item.items);
  return count;
}

class ItemDecoder {
 public:
  ItemDecoder(Decoder& decoder, std::string_view what, const RuleLibrary& library)
      : decoder_(decoder), what_(what), library_(library) {}

  std::vector<TextItem> List(const YamlNode& node, int depth) {
    std::vector<TextItem> items;
    if (node.kind == YamlNode::Kind::kScalar) {
      Leaf(node, items);
      return items;
    }
    decoder_.EachItem(node, fmt::format("`{}`", what_),
                      [&](const YamlNode& item) { One(item, depth, items); });
    return items;
  }

 private:
  void Leaf(const YamlNode& node, std::vector<TextItem>& items) {
    TextItem item;
    auto text = decoder_.Source(node, what_);
    if (!text) return;
    item.text = *std::move(text);
    items.push_back(std::move(item));
  }

  void One(const YamlNode& node, int depth, std::vector<TextItem>& items) {
    if (node.kind == YamlNode::Kind::kScalar) return Leaf(node, items);
    if (IsUnquoted(node)) return;
    TextItem item;
    std::vector<Decoder::Key> keys = {
        {"when", [&](const YamlNode& n) { item.when = decoder_.Source(n, "when"); }},
        {"text", [&](const YamlNode& n) { Set(item.text, decoder_.Source(n, "text")); }},
        {"use", [&](const YamlNode& n) { Use(n, item); }},
    };
    if (depth < kDeepestCase) {
      keys.push_back({"case", [&](const YamlNode& n) {
                        item.is_case = true;
                        item.items = List(n, depth + 1);
                      }});
    }
    decoder_.Map(node, "an item", keys);
    if (node.kind != YamlNode::Kind::kMap) return;
    const auto given = std::count_if(node.entries.begin(), node.entries.end(), [](const auto& e) {
      return e.key.text == "text" || e.key.text == "use" || e.key.text == "case";
    });
    if (given != 1 && !HasUnknownKey(node)) {
      decoder_.Add(node, "rules/item", "an item has one of `text`, `use` and `case`");
    }
    items.push_back(std::move(item));
  }

  static bool IsItemKey(std::string_view key) {
    return std::find(std::begin(kItemKeys), std::end(kItemKeys), key) != std::end(kItemKeys);
  }
  static bool HasUnknownKey(const YamlNode& node) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [](const YamlEntry& entry) { return !IsItemKey(entry.key.text); });
  }

  /// `- Send less: half precision` is a mapping to YAML.
  bool IsUnquoted(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kMap || node.entries.size() != 1) return false;
    const YamlNode& key = node.entries.front().key;
    if (IsItemKey(key.text) || key.text.find(' ') == std::string::npos) return false;
    decoder_
        .Add(key, "config/unknown-key",
             fmt::format("unknown key `{}` in an item of {}", PrintableShort(key.text), what_))
        .notes.emplace_back("help: put the text in quotes, since it contains `: `");
    return true;
  }

  void Use(const YamlNode& node, TextItem& item) {
    const auto name = decoder_.Text(node, "use");
    if (!name) return;
    const auto found = library_.texts.find(*name);
    if (found != library_.texts.end()) {
      item.items = found->second.items;
      if (ItemsIn(item.items) <= kMostItems) return;
      item.items.clear();
      decoder_.Add(node, "rules/too-large",
                   fmt::format("the text has more than {} items", kMostItems));
      return;
    }
    AddSuggestion(decoder_.Add(node, "rules/unknown-text",
                               fmt::format("there is no text `{}`", PrintableShort(*name))),
                  *name, NamesOf(library_.texts));
  }

  Decoder& decoder_;
  std::string_view what_;
  const RuleLibrary& library_;
};

}  // namespace

std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what,
                                  const RuleLibrary& library) {
  return ItemDecoder(decoder, what, library).List(node, 0);
}

}  // namespace profgauge::rules
