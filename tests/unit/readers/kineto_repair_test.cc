// Broken traces: repairs, skipped parts, refusals. Every row shows the whole
// outcome.
#include <gtest/gtest.h>

#include "kineto_text.h"

namespace profgauge::readers {
namespace {

/// The names of the host ranges, one after the other.
std::string HostNames(const Result<Profile>& profile) {
  std::string text;
  if (!profile) return text;
  for (const auto name : profile->host.name) {
    text += std::string(profile->Name(name)) + "|";
  }
  return text;
}

struct BrokenTrace {
  std::string_view what;
  std::string text;
  std::string_view outcome;
  std::string_view names;
};

void PrintTo(const BrokenTrace& row, std::ostream* out) { *out << row.what; }

class Mended : public ::testing::TestWithParam<BrokenTrace> {};

TEST_P(Mended, IsReadAndCounted) {
  const auto profile = ReadText(GetParam().text);
  EXPECT_EQ(Outcome(profile), GetParam().outcome);
  EXPECT_EQ(HostNames(profile), GetParam().names);
}

INSTANTIATE_TEST_SUITE_P(
    Names, Mended,
    ::testing::Values(
        BrokenTrace{"quote", Trace(Op(R"({"device": "cpu"}(12): run)")),
                    "read, strings_unescaped_quote 1 (byte 37)", R"({"device": "cpu"}(12): run|)"},
        BrokenTrace{"quote before a comma", Trace(Op(R"(say "a", "b" twice)")),
                    "read, strings_unescaped_quote 1 (byte 37)", R"(say "a", "b" twice|)"},
        BrokenTrace{"windows path", Trace(Op(R"(C:\Users\new.py(3): f)")),
                    "read, strings_bad_escape 1 (byte 37)", R"(C:\Users\new.py(3): f|)"},
        BrokenTrace{"path that ends in a backslash", Trace(Op(R"(C:\)")),
                    "read, strings_bad_escape 1 (byte 37)", R"(C:\|)"},
        BrokenTrace{"half a surrogate pair", Trace(Op(R"(a\ud83db)")),
                    "read, strings_bad_escape 1 (byte 37)", "a\uFFFDb|"},
        BrokenTrace{"valid escapes stay",
                    Trace(Op(R"(a\"b\u0041\ud83d\ude00\\)") + "," + Op("c\x01")),
                    "read, strings_control_char 1 (byte 141)", "a\"bA\U0001F600\\|c\x01|"},
        BrokenTrace{"raw newline", Trace(Op("a\nb")), "read, strings_control_char 1 (byte 37)",
                    "a\nb|"},
        BrokenTrace{"not utf-8", Trace(Op("a\xF0(b")), "read, strings_bad_utf8 1 (byte 37)",
                    "a\uFFFD(b|"}));

INSTANTIATE_TEST_SUITE_P(
    Structure, Mended,
    ::testing::Values(
        BrokenTrace{"comma behind the last event", Trace(Op("a") + ","),
                    "read, trailing_commas 1 (byte 118)", "a|"},
        BrokenTrace{
            "comma behind the last field",
            Trace(
                R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2,"args":{"x":[1,],},})"),
            "read, trailing_commas 3 (byte 37) (byte 37) (byte 37)", "a|"},
        BrokenTrace{"words for numbers",
                    Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2,)"
                          R"("args":{"a":NaN,"b":inf,"c":-Infinity,"d":N/A,"e":-nan(ind)}})"),
                    "read, numbers_not_json 5 (byte 37) (byte 37) (byte 37)", "a|"},
        BrokenTrace{"numbers with fractions and exponents beside one that is none",
                    Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2,)"
                          R"("args":{"a":1.5e-3,"b":-0.25,"c":2E+4,"d":1.e5,"e":1e}})"),
                    "read, numbers_not_json 2 (byte 37) (byte 37)", "a|"},
        BrokenTrace{
            "missing quote",
            Trace(Op("a") + R"(, {"ph": "X", "cat": "cpu_op, "name": "b", "pid": 1}, )" + Op("c")),
            "read, events_unreadable 1 (byte 119), bytes_skipped 52", "a|c|"},
        BrokenTrace{"junk between events", Trace(Op("a") + ", %$ ," + Op("c")),
                    "read, events_unreadable 1 (byte 119), bytes_skipped 84", "a|"},
        BrokenTrace{"element that is no object",
                    Trace(Op("a") + ", 17, [1, {\"ph\": 2}], \"x\", null"),
                    "read, events_unreadable 4", "a|"},
        BrokenTrace{
            "key given twice",
            Trace(
                R"({"ph":"X","cat":"cpu_op","name":"a","name":"b","pid":1,"tid":1,"ts":5,"dur":2})"),
            "read, duplicate_keys 1", "b|"},
        BrokenTrace{
            "key before and after the events",
            R"({"schemaVersion": 1, "traceEvents": [)" + Op("a") + R"(], "schemaVersion": 2})",
            "read, duplicate_keys 1", "a|"},
        BrokenTrace{"byte order mark", "\xEF\xBB\xBF" + Trace(Op("a")), "read, byte_order_mark 1",
                    "a|"},
        BrokenTrace{
            "metadata that is not JSON",
            R"({"traceEvents": [)" + Op("a") + R"(], "WARNING": ["path C:\x "quoted""], "n": nan})",
            "read, strings_unescaped_quote 1, strings_bad_escape 1, numbers_not_json 1", "a|"},
        BrokenTrace{"metadata beyond mending",
                    R"({"traceEvents": [)" + Op("a") + R"(], "WARNING": [[}})",
                    "read, metadata_unreadable 1", "a|"}));

INSTANTIATE_TEST_SUITE_P(
    Times, Mended,
    ::testing::Values(
        BrokenTrace{"no duration",
                    Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5})"),
                    "read, events_missing_dur 1", "a|"},
        BrokenTrace{
            "null duration and args",
            Trace(
                R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":null,"args":null})"),
            "read, events_missing_dur 1", "a|"},
        BrokenTrace{
            "negative duration",
            Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":-3})"),
            "read, events_negative_dur 1", "a|"},
        BrokenTrace{
            "overflowed duration",
            Trace(
                R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":18446744073709551})"),
            "read, events_overflowed_dur 1", "a|"},
        BrokenTrace{
            "numbers as text",
            Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":"5","dur":"3"})"),
            "read, numbers_as_text 2", "a|"},
        BrokenTrace{
            "no start",
            Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"dur":3},)" + Op("b")),
            "read, events_bad_time 1", "b|"},
        BrokenTrace{
            "start beyond all clocks",
            Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1e300,"dur":3},)" +
                  Op("b")),
            "read, events_bad_time 1", "b|"},
        BrokenTrace{"no category",
                    Trace(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":3},)" + Op("b")),
                    "read, events_missing_cat 1", "b|"}));

struct Refusal {
  std::string text;
  std::string_view outcome;
};

TEST(KinetoRefuses, WithPlaceAndHelp) {
  const Refusal kRefusals[] = {
      {R"({"traceEvents": [)" + Op("a") + ", {\"ph\": \"X\", \"cat\": \"ker",
       "error: the trace ends early; 1 of its events are complete\n"
       "  --> trace.json, byte 122\n"
       "  help: the profiler was probably killed while writing; pass --allow-incomplete to judge "
       "the readable part   [kineto/truncated]\n"},
      {R"({"traceEvents": [)" + Op("a") + "]",
       "error: the trace ends early; 1 of its events are complete\n"
       "  --> trace.json, byte 98\n"
       "  help: the profiler was probably killed while writing; pass --allow-incomplete to judge "
       "the readable part   [kineto/truncated]\n"},
      {R"({"deviceProperties": [)",
       "error: the trace ends early; 0 of its events are complete\n"
       "  --> trace.json, byte 22\n"
       "  help: the profiler was probably killed while writing; pass --allow-incomplete to judge "
       "the readable part   [kineto/truncated]\n"},
      {R"({"traceEvents": []})",
       "error: the trace is empty\n"
       "  --> trace.json\n"
       "  help: the profiler was stopped before its first active step, or its activities were off"
       "   [kineto/no-events]\n"},
      {Trace(R"({"ph":"B","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":3},)"
             R"({"ph":"E","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":5})"),
       "error: the 2 events of the trace cannot be read\n"
       "  --> trace.json\n"
       "  help: an event needs a `dur` (`\"ph\": \"X\"`), or a begin and end on one thread (`B`, "
       "`E`)   [kineto/no-events]\n"},
      // A time that fits into 64 bits, but not into the years of a clock, and none at all.
      {Trace(
           R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":3400000000000000,"dur":3})"),
       "error: all 1 events of the trace start at an impossible time; the first, "
       "`a`, "
       "has `ts` 3400000000000000\n"
       "  --> trace.json\n"
       "  help: `ts` and `dur` are microseconds; convert other units"
       "   [kineto/bad-times]\n"},
      {Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"dur":3})"),
       "error: all 1 events of the trace start at an impossible time; the first, "
       "`a`, "
       "has no `ts`\n"
       "  --> trace.json\n"
       "  help: `ts` and `dur` are microseconds; convert other units"
       "   [kineto/bad-times]\n"},
      {R"({"name": "package", "version": "1.0"})",
       "error: the file has no list `traceEvents`\n"
       "  --> trace.json\n"
       "  help: expected a trace of the PyTorch profiler (*.pt.trace.json or *.pt.trace.json.gz)"
       "   [kineto/no-events]\n"},
      {R"({"traceEvents": [{"ph" "X"}]})",
       "error: no event of the trace can be read; it is not valid JSON: syntax error\n"
       "  --> trace.json, byte 23\n"
       "  help: check the file around that byte, or record again   [kineto/invalid-json]\n"},
  };
  for (const auto& [text, outcome] : kRefusals) EXPECT_EQ(Outcome(ReadText(text)), outcome) << text;
}

// If a file has two profiles, the second would be judged by no one.
TEST(KinetoRefuses, TextAfterItsEnd) {
  const std::string list = "[" + Op("a") + "]", trace = "{\"traceEvents\": " + list + "}";
  for (const std::string& text :
       {trace + trace, trace + "\n" + list, list + "\n" + list, list + " junk",
        "{\"traceEvents\": " + list + ", \"traceEvents\": " + list + "}"}) {
    EXPECT_EQ(Outcome(ReadText(text)),
              "error: the file continues after the end of its first trace\n"
              "  --> trace.json\n"
              "  help: write each profile to a separate file; pass --allow-incomplete to judge the "
              "first   [kineto/goes-on]\n")
        << text;
    const auto first = ReadText(text, {.allow_incomplete = true, .progress = {}});
    EXPECT_EQ(HostNames(first), "a|") << text;
    EXPECT_TRUE(first->log.HasDataLoss()) << text;
  }
  EXPECT_EQ(Outcome(ReadText(trace + " \n" + std::string(3, '\0'))), "read");
}

// Its length is that of a hole which nothing closes.
TEST(KinetoSurvives, HolesLeaveTheFileIncomplete) {
  std::string events = Op("a");
  for (int i = 0; i < 400; ++i) events += "," + Op("b");
  const auto whole = ReadText(Trace(events));
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->log.HasDataLoss());
  for (const char hole : {'\0', 'x'}) {
    std::string text = Trace(events);
    text.replace(text.size() / 3, 10'000, std::string(10'000, hole));
    const auto profile = ReadText(text);
    ASSERT_TRUE(profile);
    EXPECT_LT(profile->host.size(), 400U);
    EXPECT_TRUE(profile->log.HasDataLoss());
  }
  std::string timeless = Op("a");
  for (int i = 0; i < 400; ++i) {
    timeless += "," + (i % 2 == 0 ? Op("b") : R"({"ph":"X","cat":"cpu_op","name":"c","pid":1})");
  }
  EXPECT_TRUE(ReadText(Trace(timeless))->log.HasDataLoss());
}

TEST(KinetoRefuses, UnlessIncompleteIsAllowed) {
  const auto text = R"({"traceEvents": [)" + Op("a") + ", {\"ph\": \"X\", \"cat\": \"ker";
  const auto profile = ReadText(text, {.allow_incomplete = true, .progress = {}});
  EXPECT_EQ(Outcome(profile), "read, truncated 1");
  EXPECT_EQ(HostNames(profile), "a|");
  EXPECT_TRUE(profile->log.HasDataLoss());
}

TEST(KinetoSurvives, ExtremesOfNestingAndLength) {
  const std::string head =
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2,"args":)";
  std::string keys = "{";
  for (int i = 0; i < 100'000; ++i) keys += fmt::format("\"k{}\":{},", i, i);
  keys += "\"last\":0}";
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string digits(10'000, '9');
  EXPECT_EQ(Outcome(ReadText(Trace(Op("a") + ", " + head + keys + "}"))), "read");
  EXPECT_EQ(
      Outcome(ReadText(Trace(Op("a") + "," + head + deep + "}"))),
      "read, events_unreadable 1 (byte 118), bytes_skipped 200075, rows_unusable 1 (200075 of "
      "200195 bytes)");
  EXPECT_EQ(Outcome(ReadText(Trace(Op(std::string(3'000'000, 'x'))))), "read");
  EXPECT_EQ(Outcome(ReadText(Trace(Op("a") + R"(,{"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":)" +
                                   digits + R"(,"dur":)" + digits + "}"))),
            "read, events_bad_time 1");
  EXPECT_EQ(Outcome(ReadText("{" + keys.substr(1, keys.size() - 2) + R"(,"traceEvents":[)" +
                             Op("a") + "]}")),
            "read");
}

}  // namespace
}  // namespace profgauge::readers
