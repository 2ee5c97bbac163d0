#include "rules/yaml.h"

#include <cstring>

namespace profgauge::rules {
namespace {

/// The part before the text and the children of a node.
///
///     | kind | plain | offset | line | column | text_size | children |  text ...  | children ...
///     '---------------- 7 x 4 bytes, byte order of the machine ------'
///
/// A child of a list is a node; one of a mapping is two, the key and its value. No checks on
/// decoding: the bytes are made by the build of the same program.
struct Head {
  std::uint32_t kind = 0, plain = 0, offset = 0, line = 0, column = 0, text_size = 0, children = 0;
};

void Encode(const YamlNode& node, std::string& out) {
  const Head head = {static_cast<std::uint32_t>(node.kind),
                     node.plain ? 1U : 0U,
                     static_cast<std::uint32_t>(node.offset),
                     node.line,
                     node.column,
                     static_cast<std::uint32_t>(node.text.size()),
                     static_cast<std::uint32_t>(node.items.size() + node.entries.size())};
  out.append(reinterpret_cast<const char*>(&head), sizeof head);
  out += node.text;
  for (const YamlNode& item : node.items) Encode(item, out);
  for (const YamlEntry& entry : node.entries) {
    Encode(entry.key, out);
    Encode(entry.value, out);
  }
}

void Decode(std::string_view& bytes, YamlNode& node) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  node.kind = static_cast<YamlNode::Kind>(head.kind);
  node.plain = head.plain != 0;
  node.offset = head.offset;
  node.line = head.line;
  node.column = head.column;
  node.text = bytes.substr(0, head.text_size);
  bytes.remove_prefix(head.text_size);
  if (node.kind == YamlNode::Kind::kMap) {
    node.entries.resize(head.children);
    for (YamlEntry& entry : node.entries) {
      Decode(bytes, entry.key);
      Decode(bytes, entry.value);
    }
  } else {
    node.items.resize(head.children);
    for (YamlNode& item : node.items) Decode(bytes, item);
  }
}

}  // namespace

std::string EncodeYamlTree(const YamlNode& root) {
  std::string out;
  Encode(root, out);
  return out;
}

YamlNode DecodeYamlTree(std::string_view bytes) {
  YamlNode root;
  Decode(bytes, root);
  return root;
}

}  // namespace profgauge::rules
