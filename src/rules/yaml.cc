#include "rules/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <istream>
#include <new>
#include <streambuf>

#include "base/text.h"

namespace profgauge::rules {
namespace {

/// No one nests a policy this deep; yaml-cpp itself gives up at 500.
constexpr std::size_t kDeepest = 32;

Error MakeError(std::string code, std::string message, Where where,
                std::vector<std::string> notes = {}) {
  return {ErrorKind::kConfig, std::move(code), std::move(message), std::move(where),
          std::move(notes)};
}

Where PlaceOf(const std::string& file, std::uint32_t line, std::uint32_t column,
              std::uint32_t length = 0) {
  Where where;
  where.file = file;
  where.line = line;
  where.column = column;
  where.length = length;
  return where;
}

/// Builds the tree from yaml-cpp's events, which still know about anchors, tags and quotes.
///
///     a: [1, 2]      OnMapStart              push {map}
///                    OnScalar a              {map, key a}
///                    OnSequenceStart         push {list}
///                    OnScalar 1, OnScalar 2  {map, key a} {list: 1, 2}
///                    OnSequenceEnd           pop: the entry a of the map
///                    OnMapEnd                pop: the root
///
/// After an error it goes on, so that the rest of the file is checked, too.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::string_view source, Errors& errors)
      : file_(file), source_(source), errors_(errors) {}

  bool too_deep() const { return too_deep_; }
  bool has_unclosed_quote() const { return has_unclosed_quote_; }
  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckAnchor(mark, anchor);
    Add(MakeNode(YamlNode::Kind::kNull, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    AddError("yaml/alias", "aliases (`*name`) are not supported", mark,
             "help: write the value out");
    Add(MakeNode(YamlNode::Kind::kBroken, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    YamlNode node = MakeNode(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.plain = tag != "!";
    if (!node.plain && !has_unclosed_quote_ && !IsQuoteClosed(source_, node.offset)) {
      has_unclosed_quote_ = true;
      AddError("yaml/syntax", "the quoted text that starts here is never closed", mark, "");
    }
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    YamlNode node;
    std::optional<YamlNode> key;  ///< Key of a mapping that was read, while its value was not.
    boost::unordered_flat_map<std::string, std::uint32_t> lines;  ///< Where each key first stood.
  };

  YamlNode MakeNode(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.offset = static_cast<std::size_t>(std::max(0, mark.pos));
    node.line = static_cast<std::uint32_t>(mark.line + 1);
    node.column = static_cast<std::uint32_t>(mark.column + 1);
    return node;
  }

  void AddError(std::string code, std::string message, const YAML::Mark& mark,
                const std::string& note, std::size_t length = 0) {
    errors_.push_back(MakeError(
        std::move(code), std::move(message),
        PlaceOf(file_, static_cast<std::uint32_t>(mark.line + 1),
                static_cast<std::uint32_t>(mark.column + 1), static_cast<std::uint32_t>(length)),
        note.empty() ? std::vector<std::string>{} : std::vector{note}));
  }

  void CheckAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    AddError("yaml/anchor", "anchors (`&name`) are not supported", mark,
             "help: write the value out where it is used");
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    AddError("yaml/tag", "tags (`!name`) are not supported", mark,
             "help: put text that starts with `!` in quotes");
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    CheckAnchor(mark, anchor);
    CheckTag(mark, tag);
    if (stack_.size() == kDeepest && !too_deep_) {
      too_deep_ = true;
      AddError("yaml/too-deep", fmt::format("nested deeper than {} levels", kDeepest), mark, "");
    }
    stack_.push_back({MakeNode(kind, mark), std::nullopt, {}});
  }

  void Close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    // Deeply nested nodes are dropped immediately: destroying them would recurse.
    if (stack_.size() >= kDeepest) frame.node = YamlNode{};
    Add(std::move(frame.node));
  }

  void Add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = stack_.back();
    if (frame.node.kind == YamlNode::Kind::kList) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.key) {
      frame.key = std::move(node);
    } else {
      AddEntry(frame, std::move(node));
    }
  }

  void AddEntry(Frame& frame, YamlNode value) {
    YamlNode key = std::move(*frame.key);
    frame.key.reset();
    const Where where = PlaceOf(file_, key.line, key.column,
                                static_cast<std::uint32_t>(key.plain ? key.text.size() : 0));
    if (key.kind != YamlNode::Kind::kScalar) {
      errors_.push_back(MakeError("yaml/key", "a key must be a text", where,
                                  {"help: put text that starts with `{` or `[` in quotes"}));
      frame.node.kind = YamlNode::Kind::kBroken;
      return;
    }
    if (key.text == "<<" && key.plain) {
      errors_.push_back(MakeError("yaml/merge-key", "merge keys (`<<`) are not supported", where,
                                  {"help: write the entries out, or use `extends` in a policy"}));
      return;
    }
    const auto [first, is_new] = frame.lines.try_emplace(key.text, key.line);
    if (!is_new) {
      errors_.push_back(
          MakeError("yaml/duplicate-key",
                    fmt::format("the key `{}` is given twice", PrintableShort(key.text)), where,
                    {fmt::format("note: it is already in line {}", first->second)}));
      return;
    }
    // yaml-cpp places an empty value at the next token, which may be lines below.
    if (value.kind == YamlNode::Kind::kNull) {
      value.offset = key.offset;
      value.line = key.line;
      value.column = key.column;
    }
    frame.node.entries.push_back({std::move(key), std::move(value)});
  }

  const std::string& file_;
  std::string_view source_;
  Errors& errors_;
  std::vector<Frame> stack_;
  YamlNode root_;
  bool too_deep_ = false;
  bool has_unclosed_quote_ = false;
};

/// A stream over memory that is not copied.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // Never written to: there is no put area.
    setg(begin, begin, begin + text.size());
  }
};

struct KnownMessage {
  std::string_view theirs, ours, help;
};
constexpr std::string_view kQuoteHelp =
    "help: put texts in quotes that start with one of `! & * % @ ? { [ | > `` or contain `: ` or ` "
    "#`";
constexpr KnownMessage kMessages[] = {
    {"illegal map value", "unexpected `:`", kQuoteHelp},
    {"unknown token", "no text can start with this character", kQuoteHelp},
    {"illegal tab when looking for indentation", "a tab in the indentation",
     "help: indent with spaces"},
    {"the referenced anchor is not defined", "aliases (`*name`) are not supported", kQuoteHelp},
    {"end of map not found", "this line does not fit the mapping above it",
     "help: entries of one mapping start in the same column"},
    {"end of sequence not found", "this line does not fit the list above it",
     "help: items of one list start with `-` in the same column"},
    {"end of sequence flow not found", "the list that is opened with `[` is not closed", ""},
    {"end of map flow not found", "the mapping that is opened with `{` is not closed", ""},
};

/// The last line up to `line` that is indented with a tab, and the tab's column; both from 1.
std::optional<std::pair<std::uint32_t, std::uint32_t>> FindTab(std::string_view text,
                                                               std::uint32_t line) {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> found;
  std::uint32_t number = 0;
  for (const std::string_view row : Lines(text)) {
    if (++number > line) break;
    const auto first = row.find_first_not_of(' ');
    const bool is_blank = row.find_first_not_of(" \t\r") == row.npos;
    if (first == row.npos || row[first] != '\t' || is_blank) continue;
    found = {number, static_cast<std::uint32_t>(first + 1)};
  }
  return found;
}

Error SyntaxError(const YAML::ParserException& exception, const std::string& file,
                  std::string_view text) {
  const auto line = static_cast<std::uint32_t>(std::max(0, exception.mark.line) + 1);
  const auto column = static_cast<std::uint32_t>(std::max(0, exception.mark.column) + 1);
  // The parser takes a tab for a blank of no width, and then complains of something that follows.
  if (const auto tab = FindTab(text, line)) {
    Error error = MakeError("yaml/syntax", "a tab in the indentation",
                            PlaceOf(file, tab->first, tab->second, 1));
    error.notes = {"help: YAML is indented with spaces only"};
    return error;
  }
  Error error = MakeError("yaml/syntax", exception.msg, PlaceOf(file, line, column));
  for (const KnownMessage& known : kMessages) {
    if (exception.msg != known.theirs) continue;
    error.message = known.ours;
    if (!known.help.empty()) error.notes.emplace_back(known.help);
  }
  return error;
}

/// YAML allows neither control characters nor bytes that are not UTF-8; yaml-cpp replaces the
/// latter and takes 0x04 for the end of the file.
std::optional<Error> FindBadByte(std::string_view text, const std::string& file) {
  std::uint32_t line = 1, column = 1;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (length == 0 || control) {
      return MakeError("yaml/bytes",
                       length == 0
                           ? "the file is not UTF-8 text"
                           : fmt::format("control character {}", Printable(text.substr(0, 1))),
                       PlaceOf(file, line, column));
    }
    column += static_cast<std::uint32_t>(length);
    if (byte == '\n') {
      ++line;
      column = 1;
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

SourceText YamlDocument::TextOf(const YamlNode& node) const {
  if (node.kind != YamlNode::Kind::kScalar) {
    return {"", file, {{0, node.line, node.column}}};
  }
  return {node.text, file, FindPlaces(source, node)};
}

std::optional<YamlDocument> ParseYaml(std::string_view text, const std::string& file,
                                      Errors& errors) {
  text = WithoutByteOrderMark(text);
  if (text.size() > kLargestConfigFile) {
    errors.push_back(
        MakeError("yaml/too-large", "the file is larger than 1 MiB", PlaceOf(file, 0, 0)));
    return std::nullopt;
  }
  if (auto bad = FindBadByte(text, file)) {
    errors.push_back(*std::move(bad));
    return std::nullopt;
  }
  YamlDocument document{file, std::string(text), {}};
  TreeBuilder builder(document.file, document.source, errors);
  ViewBuffer buffer(document.source);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      errors.push_back(MakeError("yaml/empty", "the file is empty", PlaceOf(file, 0, 0)));
      return std::nullopt;
    }
    document.root = builder.TakeRoot();
    if (builder.too_deep() || builder.has_unclosed_quote()) return std::nullopt;
    Errors second_errors;  // Only its existence matters.
    TreeBuilder second(document.file, document.source, second_errors);
    if (parser.HandleNextDocument(second)) {
      errors.push_back(MakeError("yaml/documents", "the file holds more than one document",
                                 document.At(second.TakeRoot()),
                                 {"help: remove the `---` line between them"}));
    }
  } catch (const YAML::DeepRecursion&) {
    if (!builder.too_deep())
      errors.push_back(MakeError("yaml/too-deep", "nested too deeply", PlaceOf(file, 0, 0)));
    return std::nullopt;
  } catch (const YAML::ParserException& exception) {
    if (!builder.has_unclosed_quote()) errors.push_back(SyntaxError(exception, file, text));
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    throw;  // Not its fault.
  } catch (const std::exception& exception) {
    errors.push_back(MakeError("yaml/syntax", Printable(exception.what()), PlaceOf(file, 0, 0)));
    return std::nullopt;
  }
  return document;
}

}  // namespace profgauge::rules
