#include "rules/yaml.h"

#include <gtest/gtest.h>

#include <tuple>

namespace profgauge::rules {
namespace {

std::string Rendered(const Errors& errors) {
  std::string out;
  for (const Error& error : errors) {
    out += error.message + " @" + std::to_string(error.where.line) + ":" +
           std::to_string(error.where.column) + "\n";
  }
  return out;
}

YamlDocument Parsed(std::string_view text) {
  Errors errors;
  auto document = ParseYaml(text, "f.yaml", errors);
  EXPECT_EQ(Rendered(errors), "");
  return document ? *std::move(document) : YamlDocument{};
}

TEST(Yaml, ScalarsStayText) {
  const YamlDocument document = Parsed("a: no\nb: 010\nc: 1_000\nd: 'it''s'\ne: \"x\\ty\"\n");
  const std::string_view kExpected[] = {"no", "010", "1_000", "it's", "x\ty"};
  ASSERT_EQ(document.root.entries.size(), std::size(kExpected));
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    EXPECT_EQ(document.root.entries[i].value.text, kExpected[i]);
  }
}

/// All that a node knows, on lines.
std::string Described(const YamlNode& node) {
  std::string out = std::to_string(static_cast<int>(node.kind)) + (node.plain ? "p" : "q") + " " +
                    std::to_string(node.offset) + ":" + std::to_string(node.line) + ":" +
                    std::to_string(node.column) + " [" + node.text + "]\n";
  for (const YamlNode& item : node.items) out += "- " + Described(item);
  for (const YamlEntry& entry : node.entries) {
    out += "? " + Described(entry.key) + ": " + Described(entry.value);
  }
  return out;
}

TEST(Yaml, BuiltInFilesEqualParsedOnes) {
  std::size_t files = 0;
  for (const BuiltinKind kind : {BuiltinKind::kRules, BuiltinKind::kPreset}) {
    for (const std::string& name : BuiltinFiles(kind)) {
      Errors errors;
      const auto read = ReadYaml(name, kind, errors);
      const auto text = ReadConfigFile(name, kind);
      ASSERT_TRUE(read && text) << name;
      const auto parsed = ParseYaml(*text, name, errors);
      ASSERT_TRUE(parsed) << name;
      EXPECT_EQ(Rendered(errors), "");
      EXPECT_EQ(read->file, parsed->file);
      EXPECT_EQ(read->source, parsed->source);
      EXPECT_EQ(Described(read->root), Described(parsed->root)) << name;
      ++files;
    }
  }
  EXPECT_GE(files, 15U);
}

TEST(Yaml, TreesOfEveryKindOfNode) {
  for (const std::string_view text :
       {"a: 1\nb: [x, 'y z', {c: d}, []]\ne:\nf: |\n  two\n  lines\n", "- {}\n- ~\n", "alone"}) {
    const YamlDocument document = Parsed(text);
    EXPECT_EQ(Described(DecodeYamlTree(EncodeYamlTree(document.root))), Described(document.root));
  }
}

// Finds `needle` in the value of key `v` and says where it is in the file.
struct PlaceRow {
  std::string_view source, needle;
  std::uint32_t line, column;
};

TEST(Yaml, NamesTabsInIndentation) {
  for (const auto& [text, line, column] :
       {std::tuple("a:\n\tb: {max: 1}\n", 2u, 1u), std::tuple("a:\n  b:\n  \tc: 1\n", 3u, 3u),
        std::tuple("a:\n  \t- x\n", 2u, 3u)}) {
    Errors errors;
    EXPECT_FALSE(ParseYaml(text, "tab.yaml", errors)) << text;
    ASSERT_EQ(errors.size(), 1u) << text;
    EXPECT_EQ(errors[0].message, "a tab in the indentation") << text;
    EXPECT_EQ(errors[0].where.line, line) << text;
    EXPECT_EQ(errors[0].where.column, column) << text;
    EXPECT_EQ(errors[0].notes, std::vector<std::string>{"help: YAML is indented with spaces only"});
  }
}

TEST(Yaml, ACompressedProfileIsNoText) {
  const auto notes_of = [](const std::string& text) {
    Errors errors;
    EXPECT_FALSE(ParseYaml(text, "run.json.gz", errors));
    return errors.at(0).notes;
  };
  ASSERT_EQ(notes_of("\x1f\x8b\x08").size(), 1u);
  EXPECT_NE(notes_of("\x1f\x8b\x08").front().find("a profile is an argument"), std::string::npos);
  EXPECT_TRUE(notes_of("schema: 1\n\x04").empty());
}

TEST(Yaml, BytesOfScalarsKnowTheirPlace) {
  const PlaceRow kRows[] = {
      {"v: kernel.tim > 5 us\n", "kernel.tim", 1, 4},
      {"v: kernel.time >\n   5 uss\n", "uss", 2, 6},  // Folded plain.
      {"v: a\n\n   b\n   c d\n", "d", 4, 6},
      {"v: 'it''s >  here'\n", "here", 1, 14},
      {"v: \"tab\\t\\u00b5s end\"\n", "end", 1, 18},
      {"v: \"a \\\n    bee\"\n", "bee", 2, 5},  // Escaped line end.
      {"v: \"a\n    bee\"\n", "bee", 2, 5},
      {"v: |  # comment\n    one\n      two\n\n    three\n", "three", 5, 5},
      {"v: |  # comment\n    one\n      two\n", "two", 3, 7},
      {"v: >-\n    one\n    two\n\n    three\n", "three", 5, 5},
      {"v: >-\r\n    one\r\n    two\r\n", "two", 3, 5},
      {"w: {v: kernel.tim}\nv: \xc2\xb5 x\n", "x", 2, 7},  // Columns count bytes.
      {"\xef\xbb\xbfv: abc\n", "abc", 1, 4},
      {"v:\n  abc\n", "abc", 2, 3},
  };
  for (const PlaceRow& row : kRows) {
    const YamlDocument document = Parsed(row.source);
    const YamlNode* value = document.root.Find("v");
    ASSERT_NE(value, nullptr) << row.source;
    const SourceText text = document.TextOf(*value);
    const Where where = text.At(text.text.find(row.needle), row.needle.size());
    EXPECT_EQ(where.line, row.line) << row.source;
    EXPECT_EQ(where.column, row.column) << row.source;
    EXPECT_EQ(where.length, row.needle.size()) << row.source;
  }
}

TEST(Yaml, SizeAndDepthAreLimited) {
  const std::string million(1'000'000, '[');
  std::string list, map;
  for (int i = 0; i < 300'000; ++i) list += "- ";
  for (int i = 0; i < 200'000; ++i) map += "{a: ";
  struct Row {
    std::string text, errors;
  };
  const Row kRows[] = {
      {million, "nested deeper than 32 levels @1:17\n"},
      {list, "nested deeper than 32 levels @1:65\n"},
      {map, "nested deeper than 32 levels @1:125\n"},
      {std::string(33, '[') + std::string(33, ']'), "nested deeper than 32 levels @1:33\n"},
      {"a: " + std::string(2'000'000, 'x'), "the file is larger than 1 MiB @0:0\n"},
      {std::string(32, '[') + std::string(32, ']'), ""},
  };
  for (const Row& row : kRows) {
    Errors errors;
    const auto document = ParseYaml(row.text, "f.yaml", errors);
    EXPECT_EQ(Rendered(errors), row.errors) << row.text.substr(0, 40);
    EXPECT_EQ(document.has_value(), row.errors.empty());
  }
}

TEST(Yaml, ManyErrorsOfOneFile) {
  Errors errors;
  const auto document = ParseYaml(
      "a: 1\na: 2\nb: &x 1\nc: *x\n<<: {d: 1}\n? {e: 1}\n: 2\nf: !t 1\n", "f.yaml", errors);
  EXPECT_EQ(Rendered(errors),
            "the key `a` is given twice @2:1\n"
            "anchors (`&name`) are not supported @3:4\n"
            "aliases (`*name`) are not supported @4:4\n"
            "merge keys (`<<`) are not supported @5:1\n"
            "a key must be a text @6:3\n"
            "tags (`!name`) are not supported @8:4\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.Find("a")->text, "1");
}

}  // namespace
}  // namespace profgauge::rules
