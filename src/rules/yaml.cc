#include "rules/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstring>
#include <istream>
#include <new>
#include <streambuf>

#include "base/text.h"

namespace profgauge::rules {
namespace {

/// The limit of nesting, because more is a mistake. yaml-cpp itself stops at 500.
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

/// Builds the tree from the events of yaml-cpp, which include anchors, tags and quotes:
///
///     a: [1, 2]      OnMapStart              push {map}
///                    OnScalar a              {map, key a}
///                    OnSequenceStart         push {list}
///                    OnScalar 1, OnScalar 2  {map, key a} {list: 1, 2}
///                    OnSequenceEnd           pop: the entry a of the map
///                    OnMapEnd                pop: the root
///
/// Continues after an error, so that the rest of the file is checked, too.
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
    std::optional<YamlNode> key;  ///< A key that was read before its value.
    boost::unordered_flat_map<std::string, std::uint32_t> lines;  ///< Line of each key's first use.
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
    // Drops deeply nested nodes immediately, because destroying them later would recurse deeply.
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
    // yaml-cpp reports an empty value at the next token, which may be many lines below.
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

/// A stream over memory without a copy.
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
constexpr std::string_view kTextHelp =
    "help: expected YAML text; a profile is an argument without an option";
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

/// The last line up to `line` that is indented with a tab, and the tab's column; both 1-based.
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
  // yaml-cpp treats a tab as an empty space, and then reports the error at a later token.
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

/// Finds a control character or invalid UTF-8, neither of which YAML allows. yaml-cpp replaces
/// invalid UTF-8, and treats 0x04 as the end of the file.
std::optional<Error> FindBadByte(std::string_view text, const std::string& file) {
  std::uint32_t line = 1, column = 1;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (length == 0 || control) {
      Error error =
          MakeError("yaml/bytes",
                    length == 0 ? "the file is not UTF-8 text"
                                : fmt::format("control character {}", Printable(text.substr(0, 1))),
                    PlaceOf(file, line, column));
      // A compressed trace begins so.
      if (line == 1 && column == 1) error.notes.emplace_back(kTextHelp);
      return error;
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
    errors.push_back(MakeError("yaml/too-large", "the file is larger than 1 MiB",
                               PlaceOf(file, 0, 0), {std::string(kTextHelp)}));
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
    Errors second_errors;  // Only the existence of a second document matters.
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
    throw;  // Not an error of the file.
  } catch (const std::exception& exception) {
    errors.push_back(MakeError("yaml/syntax", Printable(exception.what()), PlaceOf(file, 0, 0)));
    return std::nullopt;
  }
  return document;
}

namespace {

/// A position in the source with its line and column.
struct Cursor {
  std::string_view source;
  std::size_t at;
  std::uint32_t line, column;

  bool AtEnd() const { return at >= source.size(); }
  char Peek(std::size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }
  void Advance(std::size_t count) {
    for (; count > 0 && !AtEnd(); --count, ++at) {
      if (source[at] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    }
  }
  void SkipBlanks() {
    while (!AtEnd() && IsSpace(Peek())) Advance(1);
  }
};

/// The number of source bytes of the escape at the cursor; 0 if there is none.
std::size_t EscapeLength(const Cursor& cursor, char quote) {
  if (quote == '\'') return cursor.Peek() == '\'' && cursor.Peek(1) == '\'' ? 2 : 0;
  if (quote != '"' || cursor.Peek() != '\\') return 0;
  switch (cursor.Peek(1)) {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

void Place(std::vector<SourceText::Run>& runs, std::size_t offset, const Cursor& cursor) {
  if (!runs.empty()) {
    const SourceText::Run& last = runs.back();
    if (last.line == cursor.line && cursor.column - last.column == offset - last.offset) return;
  }
  runs.push_back({offset, cursor.line, cursor.column});
}

}  // namespace

// Uses two cursors, for the decoded text and for the source. Both advance over equal bytes; if
// bytes differ, YAML decoded something:
//
//     line 3   when: >                        text   gpu.idle > 20% and rank.id == 3
//     line 4       gpu.idle > 20% and                ^0                 ^19
//     line 5       rank.id == 3               runs   {0: line 4, column 5}, {19: line 5, column 5}
//
// A run is stored only if its place does not follow from the run before it.
std::vector<SourceText::Run> FindPlaces(std::string_view source, const YamlNode& node) {
  std::vector<SourceText::Run> runs;
  Cursor cursor{source, node.offset, node.line, node.column};
  const char quote = node.plain ? '\0' : cursor.Peek();
  if (quote == '"' || quote == '\'') cursor.Advance(1);
  if (quote == '|' || quote == '>') {
    while (!cursor.AtEnd() && cursor.Peek() != '\n') cursor.Advance(1);
    cursor.Advance(1);
  }
  if (node.text.empty()) runs.push_back({0, node.line, node.column});
  for (std::size_t i = 0; i < node.text.size(); ++i) {
    if (quote == '"' && cursor.Peek() == '\\' && IsSpace(cursor.Peek(1)) && cursor.Peek(1) != ' ') {
      cursor.Advance(1);  // An escaped line end adds no character.
      cursor.SkipBlanks();
    }
    if (const std::size_t escape = EscapeLength(cursor, quote); escape > 0) {
      Place(runs, i, cursor);
      cursor.Advance(escape);
      i += std::max<std::size_t>(1, Utf8Length(std::string_view(node.text).substr(i))) - 1;
      continue;
    }
    if (cursor.Peek() != node.text[i]) {
      const Cursor before = cursor;
      cursor.SkipBlanks();
      if (IsSpace(node.text[i])) {  // A folded line end.
        Place(runs, i, before);
        continue;
      }
      if (cursor.Peek() != node.text[i]) break;  // Lost: the rest counts from the last place.
    }
    Place(runs, i, cursor);
    cursor.Advance(1);
  }
  if (runs.empty()) runs.push_back({0, node.line, node.column});
  return runs;
}

// In double quotes, a backslash escapes the next byte; in single quotes, two quotes are one.
bool IsQuoteClosed(std::string_view source, std::size_t offset) {
  if (offset >= source.size()) return true;
  const char quote = source[offset];
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t at = offset + 1; at < source.size(); ++at) {
    if (quote == '"' && source[at] == '\\') {
      ++at;
    } else if (source[at] == quote) {
      if (quote == '"' || at + 1 >= source.size() || source[at + 1] != '\'') return true;
      ++at;
    }
  }
  return false;
}

namespace {

/// The header of an encoded node, before its text and children:
///
///     | kind | plain | offset | line | column | text_size | children |  text ...  | children ...
///     '---------------- 7 x 4 bytes, byte order of the machine ------'
///
/// A child of a list is one node; a child of a mapping is two, key and value. Decoding does not
/// check the bytes, because the build of the same program made them.
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
