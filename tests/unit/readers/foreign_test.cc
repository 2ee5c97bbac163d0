// Foreign files: their kind is reported, none is read by accident, and no profile is one of them.
#include "readers/detect.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "readers/load.h"
#include "readers/reader.h"
#include "readers/text/condensed_json.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

const fs::path kData = fs::path(PROFGAUGE_SHARED_DIR) / "data";

std::string CodeOf(const std::string& path, std::string_view head) {
  for (const Asked asked : {Asked::kBeforeReaders, Asked::kAfterReaders}) {
    if (const auto error = ForeignFile(path, head, asked)) return error->code;
  }
  return "";
}

std::string Condensed(std::string_view text) {
  const auto source = MakeMemorySource("x.json", std::as_bytes(std::span(text)));
  return *CondensedJson(*source);
}

TEST(Foreign, CondensedJsonKeepsAllKeys) {
  std::string numbers = "0", objects = R"({"a": 0})";
  for (int i = 1; i < 20'000; ++i) {
    numbers += ", " + std::to_string(i);
    objects += R"(, {"a": [)" + std::to_string(i) + "]}";
  }
  EXPECT_EQ(Condensed(R"({"seed": [)" + numbers + R"(], "moves" : [[1, 2]], "turns": {"b": 1}})"),
            R"({"seed":[0,1,2],"moves":[[1,2]],"turns":{"b":1}})");
  EXPECT_EQ(Condensed("[" + objects + "]"), R"([{"a":0},{"a":[1]},{"a":[2]}])");
  const std::string text(70'000, 'x');
  const std::string cut =
      Condensed("{\"k\": \"" + text + "\", \"traceEvents\": [{\"ph\": \"X\"}]}");
  EXPECT_LT(cut.size(), 600U);
  EXPECT_TRUE(cut.ends_with(R"(","traceEvents":[{"ph":"X"}]})")) << cut;
  const std::string nested = Condensed("{\"k\": {\"l\": [{\"m\": \"" + text + "\"}]}, \"n\": 1}");
  EXPECT_TRUE(nested.ends_with(R"("}]},"n":1})")) << nested;
  // Cut anywhere, it ends closed and does not grow.
  for (std::size_t length = 0; length < 200; ++length) {
    EXPECT_LE(Condensed(std::string_view(objects).substr(0, length)).size(), length + 4);
  }
}

// A first value of 70 kB hides the keys from the head of the file.
TEST(Foreign, KeysBehindALongValueAreFound) {
  const fs::path file = fs::path(::testing::TempDir()) / "long_first.json";
  const auto outcome = [&](std::string_view rest) {
    std::ofstream(file) << "{\"seed\": \"" << std::string(70'000, 'x') << "\", " << rest << "}";
    const auto read = ReadProfile(file.string(), {});
    if (read) return read->source.format;
    std::string text = read.error().code;
    for (const std::string& note : read.error().notes) text += "\n" + note;
    return text;
  };
  EXPECT_THAT(outcome(R"("moves": [1], "turns": 2)"),
              ::testing::AllOf(::testing::StartsWith("input/unknown"),
                               ::testing::HasSubstr("`seed`, `moves`, `turns`")));
  EXPECT_EQ(outcome(R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1,)"
                    R"( "tid": 1, "ts": 1, "dur": 1}])"),
            "kineto");
  fs::remove(file);
}

TEST(Foreign, FilesAreKnownByTheirBeginning) {
  struct Row {
    std::string_view head, code;
  };
  constexpr Row kRows[] = {
      {R"([{"cat" : "Session","ts" :5,"ph" : "X","name" :"model_run"}])", "input/onnxruntime"},
      {R"({"traceEvents": [{"cat": "kernel", "ph": "X", "pid": "proton", "tid": "stream: 7"}]})",
       "input/proton"},
      {R"({"traceEvents": [{}, {"args": {"name": "COPY"}, "ph": "M", "pid": 1,)"
       R"( "name": "process_name", "sort_index": 0}]})",
       "input/rocprof"},
      {R"([{"children": [], "frame": {"name": "ROOT"}, "metrics": {"count": 0}}])", "input/proton"},
      {"\xFD\x37zXZ\0\0"sv, "input/compressed"},
      {"BZh91AY", "input/compressed"},
      {"7z\xBC\xAF\x27\x1C\0"sv, "input/archive"},
      {"\x80\x04\x95\x87\x01\0\0\0\0\0\0}\x94(\x8C\x08segments\x94]\x94}\x94(\x8C\x06"
       "device"sv,
       "input/memory-snapshot"},
      {"\x80\x02}q\0X\0\0\0\0version\x94pg_config"sv, "input/flight-recorder"},
      {"\x80\x02}q\0."sv, "input/pickle"},
      {"\x5F\0\0\0\0\0\0\0{\"__metadata__\": {}}"sv, "input/checkpoint"},
      {R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": []})", "input/execution-trace"},
      {"[rank0]:I0102 03:04:06.100000 4242 torch/_inductor/graph.py:1500] x", "input/compile-log"},
      {"NVR\0\x08\0"sv, "input/ncu"},
      {"==PROF== Connected\n\"ID\",\"Process ID\",\"Process Name\"\n", "input/ncu"},
      {"Time (%),Total Time (ns),Instances\n", "input/nsys-stats"},
      {"[\n  { \"count\" : 100 }\n, { \"name\" : \"a\", \"averageMs\" : 0.1 }\n]", "input/trtexec"},
      {"timestamp, index, uuid, clocks.current.sm [MHz]\n", "input/device-log"},
      {R"([{"gpu": 0, "power": {}, "clock": {}}])", "input/device-log"},
      {"\"Index\",\"KernelName\",\"gpu-id\"\n", "input/rocprof"},
      {"HloModule jit_step\n", "input/hlo"},
      {"{\xA9\x03\xFAtrain.py", "input/cprofile"},
      {"main (train.py:10);step (train.py:20) 120\n", "input/samples"},
      {"\x89PNG\r\n", "input/picture"},
      {"[2026-01-02] [INFO] global_step=10, CurrSamplesPerSec=125.6\n", "input/training-log"},
      {"x_val;a\n", "input/benchmark"},
      {"/annex/objects/SHA256E-s1--0.json.gz\n", "input/pointer"},
      {"\n\n<!DOCTYPE html>\n<html>", "input/web-page"},
      {R"({"message": "Not Found", "documentation_url": "x"})", "input/web-page"},
      {"404: Not Found", "input/web-page"},
      {"eyJzY2hlbWFWZXJzaW9uIjogMX0K\n", "input/base64"},
      {"+ srun python3 a.py\nTraceback (most recent call last)\n", "input/job-output"},
      {"schema: 1\nextends: builtin:recommended\n", "input/policy"},
      {"import torch\n", "input/program"},
      {" \n\n", "input/blank"},
      {R"({"schema":2,"kind":"profgauge-baseline","runs":[]})", "input/baseline"},
      {"# \u2713 PASS\n<!-- profgauge:a -->\n", "input/output"},
      {"# TYPE profgauge_wall_time gauge\n", "input/output"},
      {R"([{"check_name":"a","fingerprint":"b","severity":"info"}])", "input/output"},
      {"1767323045000 0.0279 1\n", "input/training-log"},
  };
  for (const auto& [head, code] : kRows) EXPECT_EQ(CodeOf("a.file", head), code) << head;
  EXPECT_EQ(CodeOf("a.file", std::string(4096, '\0')), "input/zeros");
}

std::string TextOf(const std::string& path, std::string_view head) {
  const auto error = ForeignFile(path, head, Asked::kAfterReaders);
  return error ? error->message + "\n" + error->notes.at(0) : "";
}

TEST(Foreign, CommandsNameTheFile) {
  EXPECT_EQ(TextOf("a b/x.txt", "1767323045000 0.0279 1\n"),
            "the file is a metric of MLflow: values by step, whose unit is unknown\n"
            "help: `profgauge check --step-times 'a b/x.txt'::s`");
  EXPECT_EQ(TextOf("it's.xz", "\xFD\x37zXZ\0\0"sv),
            "the file is compressed with xz, which is not read\n"
            "help: `xz -dc 'it'\\''s.xz' | profgauge check -`");
  EXPECT_EQ(TextOf("-", "\xFD\x37zXZ\0\0"sv),
            "the file is compressed with xz, which is not read\n"
            "help: `xz -dc FILE | profgauge check -`");
  EXPECT_EQ(TextOf("ranks.tar.xz", "\xFD\x37zXZ\0\0"sv),
            "the file is an archive that is compressed in a way that is not read\n"
            "help: `tar -xf ranks.tar.xz -C DIR`, then `profgauge check DIR`");
}

TEST(Foreign, AnswersOfServersAreQuoted) {
  EXPECT_THAT(
      TextOf("t.json", "<!DOCTYPE html>\n<html><head>\n<title>Sign in \u00b7 GitHub</title>"),
      testing::StartsWith("the file is a web page (\"Sign in \u00b7 GitHub\"), not"));
  EXPECT_THAT(TextOf("t.json", "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code>"),
              testing::StartsWith("the file is the answer `AccessDenied` of a storage service"));
  EXPECT_THAT(TextOf("t.json", R"({"message": "Not Found", "documentation_url": "x"})"),
              testing::StartsWith("the file is the answer \"Not Found\" of a web service"));
  EXPECT_THAT(TextOf("t.json", "404: Not Found"),
              testing::StartsWith("the file is the answer \"404: Not Found\" of a web server"));
}

// The visible form of a file that no rule knows.
TEST(Foreign, DescribesFormOfOtherFiles) {
  const auto seen = [](std::string_view head) { return UnknownFile("a", head).notes.at(0); };
  EXPECT_EQ(seen(R"({"name": "x", "version": 1})"),
            "note: it is JSON with the keys `name`, `version`");
  EXPECT_EQ(seen(R"([{"a": 1}, {"b": 2}])"),
            "note: it is a list in JSON of objects with the keys `a`");
  EXPECT_EQ(seen("[1, 2]"), "note: it is a list in JSON without keys");
  EXPECT_EQ(seen("id,name,\"time\"\n1,b,2\n"),
            "note: it is a table with the columns `id`, `name`, `time`");
  EXPECT_EQ(seen("hello, world\nb"), "note: it is text that begins with \"hello, world\"");
  EXPECT_EQ(seen("\x01\x02\x03\xFF"sv), "note: it is binary data that begins with 01 02 03 ff");
  const std::string help = UnknownFile("a", "{\"a\": 1}").notes.at(1);
  EXPECT_THAT(help, testing::HasSubstr("PyTorch's trace"));
  EXPECT_THAT(help, testing::Not(testing::HasSubstr("net.dict")));
}

TEST(Foreign, RawFormsHaveTheirCodes) {
  EXPECT_EQ(CodeOf("a.file", "QDSTRM\x01\x02"), "input/qdstrm");
  EXPECT_EQ(CodeOf("a.hltv", "\x01\x02"), "input/gaudi");
  EXPECT_EQ(CodeOf("a.file", "Function\tCPU Time\n"), "input/vtune");
}

TEST(Foreign, AHistoryIsNoProfile) {
  const fs::path path = fs::path(testing::TempDir()) / "history.db";
  std::string head = std::string("SQLite format 3\0", 16) + std::string(84, '\0');
  head.replace(68, 4, "pgHi");
  std::ofstream(path, std::ios::binary) << head;
  const auto profile = ReadProfile(path.string(), {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "input/history");
}

TEST(Foreign, OtherTextsAreNoSigns) {
  for (const std::string_view head :
       {"hello"sv, "\x01\x02\x03"sv, R"({"name": "x"})"sv, "[1, 2, 3]"sv,
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "pid": 1, "tid": 7}]})"sv,
        R"({"cells": 1, "traceEvents": []})"sv}) {
    EXPECT_EQ(CodeOf("a.file", head), "") << head;
  }
}

TEST(Foreign, CutTextHasItsBeginningsShape) {
  const std::string whole =
      R"({"schemaVersion": 1, "a": [{"b": "}]\""}], "traceEvents": [{"ph": "X", "name": "a b"},
         {"ph" : "M"}], "z": 2})";
  const auto shape = readers::ShapeOfJson(whole);
  EXPECT_THAT(shape.keys, testing::ElementsAre("schemaVersion", "a", "traceEvents", "z"));
  EXPECT_EQ(shape.events, "{\"ph\":\"X\",\"name\":\"a b\"}\n{\"ph\":\"M\"}\n");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = readers::ShapeOfJson(std::string_view(whole).substr(0, size));
    EXPECT_LE(cut.keys.size(), shape.keys.size());
    EXPECT_EQ(cut.is_object, size > 0);
  }
}

/// The first bytes, as FindReader() gets them.
std::string HeadOf(const fs::path& path) {
  const auto source = OpenByteSource(path.string());
  std::string head(kSniffBytes, '\0');
  std::size_t have = 0;
  while (source && have < head.size()) {
    const auto got = (*source)->Read(std::as_writable_bytes(std::span(head).subspan(have)));
    if (!got || *got == 0) break;
    have += *got;
  }
  head.resize(have);
  return head;
}

TEST(Foreign, NoCollectedProfileIsOne) {
  if (!fs::exists(kData)) GTEST_SKIP() << "no ../shared/data";
  std::size_t looked = 0;
  for (const char* folder :
       {"kineto", "rocm", "neuron", "xla", "ascend", "nsight-systems", "nvprof", "perfetto"}) {
    if (!fs::exists(kData / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kData / folder)) {
      if (!entry.is_regular_file()) continue;
      const auto error =
          ForeignFile(entry.path().string(), HeadOf(entry.path()), Asked::kBeforeReaders);
      EXPECT_FALSE(error) << entry.path() << ": " << error->message;
      ++looked;
    }
  }
  EXPECT_GT(looked, 100u);
}

// The first bytes of these are no evidence, or they are read.
const std::set<std::string> kOthers = {
    "archive/plain.pt.trace.json", "archive/trace.json.zst", "archive/twice.json.gz.gz",
    "mistake/partial.pt.trace.json.tmp", "xla/host_only.xplane.pb"};
const std::set<std::string> kUnknown = {"nvidia/renamed_report.bin",
                                        "nvidia/nvbench.json-bin/0.bin", "mistake/package.json",
                                        "mistake/numbers.json", "mistake/no_events.json"};

TEST(Foreign, RefusesCollectedFilesByKind) {
  const fs::path folder = kData / "foreign";
  if (!fs::exists(folder)) GTEST_SKIP() << "no ../shared/data/foreign";
  std::map<std::string, std::string> unknown;
  std::size_t looked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name == "make_samples.py" || name == "today.tsv") continue;
    if (kOthers.contains(name)) continue;
    ++looked;
    const auto profile = ReadProfile(entry.path().string(), {});
    if (profile && profile->source.format == "times") continue;  // Judged without a profile.
    ASSERT_FALSE(profile) << name << " is read";
    const std::string& code = profile.error().code;
    const bool is_general =
        code == "input/unknown" || code == "kineto/no-events" || code == "kineto/truncated";
    if (is_general && !kUnknown.contains(name)) unknown.emplace(name, code);
    EXPECT_THAT(profile.error().notes, testing::Contains(testing::HasSubstr("help: "))) << name;
  }
  EXPECT_THAT(unknown, testing::IsEmpty());
  EXPECT_GT(looked, 100u);
}

// A piece of one and the rest of another: the read part is no work, or names the unread part.
TEST(Foreign, JudgesNoSpliceOfTwo) {
  const fs::path folder = kData / "foreign";
  if (!fs::exists(folder)) GTEST_SKIP() << "no ../shared/data/foreign";
  std::vector<std::string> heads;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const bool is_read = path.find("/archive/") != path.npos || path.ends_with(".tmp");
    if (entry.is_regular_file() && !is_read) heads.push_back(HeadOf(entry.path()));
  }
  std::sort(heads.begin(), heads.end());
  std::minstd_rand random(7);
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  constexpr int kSplices = 3000;
  for (int i = 0; i < kSplices; ++i) {
    const std::string &first = heads[below(heads.size())], &second = heads[below(heads.size())];
    const std::string spliced =
        first.substr(0, below(first.size() + 1)) + second.substr(below(second.size()));
    const auto bytes = std::as_bytes(std::span(spliced));
    const auto reader =
        FindReader("spliced", bytes.first(std::min(bytes.size(), kSniffBytes)), false);
    if (!reader) continue;
    const auto source = MakeMemorySource("spliced", bytes);
    const auto profile = (*reader)->Read(*source, {.threads = 1, .progress = {}});
    const bool is_judged = profile && !profile->log.HasDataLoss() && profile->device.size() > 0 &&
                           profile->log[Counter::events_unreadable] == 0;
    EXPECT_FALSE(is_judged) << spliced.substr(0, 200);
  }
}

TEST(Foreign, ReadsOtherCompressions) {
  const fs::path folder = kData / "foreign" / "archive";
  if (!fs::exists(folder)) GTEST_SKIP() << "no ../shared/data/foreign";
  const auto plain = ReadProfile((folder / "plain.pt.trace.json").string(), {});
  ASSERT_TRUE(plain) << plain.error().message;
  for (const char* name : {"trace.json.zst", "twice.json.gz.gz"}) {
    const auto packed = ReadProfile((folder / name).string(), {});
    ASSERT_TRUE(packed) << name << ": " << packed.error().message;
    EXPECT_EQ(packed->source.hash, plain->source.hash) << name;
    EXPECT_EQ(packed->log[Counter::name_suffix_wrong], 0u) << name;
  }
}

}  // namespace
}  // namespace profgauge::readers
