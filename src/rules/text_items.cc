// Items of messages and advice: DecodeItems().
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "rules/rule_decode.h"

namespace profgauge::rules {
namespace {

/// `case` in `case` in `case`: no one reads more.
constexpr int kDeepestCase = 3;

constexpr std::string_view kItemKeys[] = {"when", "text", "case"};

class ItemDecoder {
 public:
  ItemDecoder(Decoder& decoder, std::string_view what) : decoder_(decoder), what_(what) {}

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
      return e.key.text == "text" || e.key.text == "case";
    });
    if (given != 1 && !HasUnknownKey(node)) {
      decoder_.Add(node, "rules/item", "an item has one of `text` and `case`");
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

  Decoder& decoder_;
  std::string_view what_;
};

}  // namespace

std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what) {
  return ItemDecoder(decoder, what).List(node, 0);
}

}  // namespace profgauge::rules
