#include "base/errors.h"

#include <gtest/gtest.h>

#include <array>

namespace profgauge {
namespace {

Error MakeError(std::string message, Where where, std::vector<std::string> notes = {}) {
  return {ErrorKind::kConfig, "rules/unknown-field", std::move(message), std::move(where),
          std::move(notes)};
}

Where At(std::uint32_t line, std::uint32_t column, std::uint32_t length = 0) {
  Where where;
  where.file = "rules/compute.yaml";
  where.line = line;
  where.column = column;
  where.length = length;
  return where;
}

TEST(Diagnostic, HasPlaceSourceCaretHelpCode) {
  const std::string source = std::string(10, '\n') + "    where: kernel.tim > 5 us\nnext\n";
  const Error error =
      MakeError("unknown field `kernel.tim`", At(11, 12, 10),
                {"note: fields of `kernel`: name, time", "help: did you mean `kernel.time`?"});
  EXPECT_EQ(RenderDiagnostic(error, source, false),
            "error: unknown field `kernel.tim`\n"
            "  --> rules/compute.yaml:11:12\n"
            "   |\n"
            "11 |     where: kernel.tim > 5 us\n"
            "   |            ^^^^^^^^^^\n"
            "  note: fields of `kernel`: name, time\n"
            "  help: did you mean `kernel.time`?   [rules/unknown-field]\n");
}

TEST(Diagnostic, WithoutSourceNotesOrPlace) {
  EXPECT_EQ(RenderDiagnostic(MakeError("no rules", {}), "", false),
            "error: no rules   [rules/unknown-field]\n");
  EXPECT_EQ(RenderDiagnostic(MakeError("no rules", At(3, 1)), "", false, "warning"),
            "warning: no rules   [rules/unknown-field]\n"
            "  --> rules/compute.yaml:3:1\n");
  // A line that the source does not have, and a column after the line's end.
  EXPECT_EQ(RenderDiagnostic(MakeError("x", At(3, 1)), "a\n", false),
            "error: x   [rules/unknown-field]\n"
            "  --> rules/compute.yaml:3:1\n");
  EXPECT_EQ(RenderDiagnostic(MakeError("x", At(1, 9, 4)), "ab\r\n", false),
            "error: x   [rules/unknown-field]\n"
            " --> rules/compute.yaml:1:9\n"
            "  |\n"
            "1 | ab\n"
            "  |   ^\n");
}

TEST(Diagnostic, ByteOffsetAndPath) {
  Where where;
  where.file = "run7.pt.trace.json.gz";
  where.offset = 48'201'733;
  where.has_offset = true;
  where.path = "traceEvents[1203]";
  EXPECT_EQ(
      RenderDiagnostic(MakeError("the trace ends inside an event", where), "", false),
      "error: the trace ends inside an event   [rules/unknown-field]\n"
      "  --> run7.pt.trace.json.gz, byte 48\u202f201\u202f733 (decompressed), traceEvents[1203]\n");
}

TEST(Diagnostic, PrintableTextKeepsCaretsAligned) {
  EXPECT_EQ(RenderDiagnostic(MakeError("unknown key `\x1b[2J`", At(1, 6, 2)),
                             "\tµ\x01"
                             "bad",
                             false),
            "error: unknown key `\\x1b[2J`   [rules/unknown-field]\n"
            " --> rules/compute.yaml:1:6\n"
            "  |\n"
            "1 |  µ\\x01bad\n"
            "  |        ^^\n");
}

TEST(Diagnostic, CutsLongLinesAroundCaret) {
  const std::string source = std::string(300, 'a') + "HERE" + std::string(300, 'b');
  EXPECT_EQ(RenderDiagnostic(MakeError("x", At(1, 301, 4)), source, false),
            "error: x   [rules/unknown-field]\n"
            " --> rules/compute.yaml:1:301\n"
            "  |\n"
            "1 | …" +
                std::string(60, 'a') + "HERE" + std::string(56, 'b') +
                "…\n"
                "  | " +
                std::string(61, ' ') + "^^^^\n");
}

TEST(Diagnostic, Color) {
  EXPECT_EQ(RenderDiagnostic(MakeError("x", At(1, 1)), "a", true),
            "\x1b[1;31merror:\x1b[0m \x1b[1mx\x1b[0m   [rules/unknown-field]\n"
            " \x1b[36m-->\x1b[0m rules/compute.yaml:1:1\n"
            "\x1b[36m  |\n"
            "1 |\x1b[0m a\n"
            "\x1b[36m  |\x1b[0m \x1b[1;31m^\x1b[0m\n");
}

TEST(Diagnostic, DidYouMean) {
  constexpr std::array<std::string_view, 5> kNames = {"kernel.time", "kernel.mean", "gpu.idle.mean",
                                                      "gpu.idle.max", "min"};
  struct Row {
    std::string_view word, nearest;
  };
  const Row kRows[] = {
      {"kernel.tim", "kernel.time"},
      {"Kernel.Time", "kernel.time"},
      {"kernel.tiem", "kernel.time"},
      {"gpu.idle", "gpu.idle.mean"},
      {"gpu.idle.maxx", "gpu.idle.max"},
      {"mni", "min"},
      {"maximum", ""},
      {"", ""},
      {"x", ""},
      {"rank.id", ""},
      {"kernel.meantime", "kernel.mean"},
  };
  for (const Row& row : kRows) EXPECT_EQ(DidYouMean(row.word, kNames), row.nearest) << row.word;
  EXPECT_EQ(DidYouMean(std::string(5000, 'x'), kNames), "");
}

}  // namespace
}  // namespace profgauge
