// Finding the format of a file, and the ranks of a run.
#include "readers/load.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/gzip.h"
#include "kineto_text.h"
#include "readers/builtin.h"
#include "readers/one_run.h"
#include "readers/ranks.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("profgauge_load_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  static void Write(const std::string& path, std::string_view content) {
    fs::create_directories(fs::absolute(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string RankTrace(int rank) {
    return fmt::format(
        R"({{"distributedInfo": {{"rank": {}}}, "traceEvents": [{{"ph":"X","cat":"cpu_op",)"
        R"("name":"a","pid":1,"tid":1,"ts":5,"dur":2}}]}})",
        rank);
  }
  fs::path folder_;
};

// Times beside profiles in a folder are taken by name only.
TEST_F(Load, TimesAreNotTakenFromAFolder) {
  Write("bench.json", R"({"results": [{"command": "a", "times": [1, 1, 1, 1, 1, 1]}]})");
  ReadOptions options;
  options.is_in_folder = true;
  const auto read = ReadProfile("bench.json", options);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "input/times");
  EXPECT_TRUE(ReadProfile("bench.json", {}));
}

TEST_F(Load, NamesTheFilesKind) {
  using std::string_view_literals::operator""sv;
  struct Row {
    std::string_view name, content, outcome;
  };
  constexpr Row kRows[] = {
      {"empty.json", "",
       "error: the file is empty\n  --> empty.json\n"
       "  help: the profiler was probably stopped before it wrote anything; record again   "
       "[input/empty]\n"},
      {"lfs.json", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
       "error: the file is a Git LFS pointer, not the profile itself\n  --> lfs.json\n"
       "  help: fetch it with `git lfs pull`   [input/lfs-pointer]\n"},
      {"trace.zip", "PK\x03\x04junk"sv,
       "error: the file is a zip archive, not a profile\n  --> trace.zip\n"
       "  help: checkpoints of PyTorch, .npz and .xlsx files are such archives; an archive of "
       "profiles is read where it is passed by its name   [input/zip]\n"},
      {"nvprof.log", "==123== NVPROF is profiling process 123\n",
       "error: the file is text that NVProf printed, not a profile\n  --> nvprof.log\n"
       "  help: record with `nvprof -o FILE.nvvp`   [input/nvprof-log]\n"},
      {"run.nsys-rep", "\x01\x02\x03"sv,
       "error: the file is a report of Nsight Systems in its own format, which only its own tools "
       "can read\n  --> run.nsys-rep\n"
       "  help: export it with `nsys export --type sqlite run.nsys-rep`, then pass the `.sqlite` "
       "file   [input/nsys-rep]\n"},
      {"run.ncu-rep", "\x01\x02\x03"sv,
       "error: the file is a report of Nsight Compute, which measures single kernels and has no "
       "times of a run\n  --> run.ncu-rep\n"
       "  help: record the run: `nsys profile -t cuda,nvtx -o REPORT python train.py`, then `nsys "
       "export --type sqlite REPORT.nsys-rep`   [input/ncu-rep]\n"},
      {"utf16.json", "\xFF\xFE{\0"sv,
       "error: the file is text in UTF-16, expected UTF-8\n  --> utf16.json\n"
       "  help: PowerShell's `>` converts text; copy the original file, or convert it with `iconv "
       "-f "
       "UTF-16 -t UTF-8`   [input/utf16]\n"},
      {"trace.pftrace", "\x01\x02",
       "error: the file is a binary trace of Perfetto by no known writer, which is not supported\n"
       "  --> trace.pftrace\n"
       "  help: record with the framework's own profiler; of one of `neuron-explorer view` pass "
       "its Parquet files   [input/perfetto]\n"},
      {"packets", "\x0A\x02\x40\x05\x0A\x02\x40\x06\x0A\x02\x50\x01",
       "error: the file is a binary trace of Perfetto by no known writer, which is not supported\n"
       "  --> packets\n"
       "  help: record with the framework's own profiler; of one of `neuron-explorer view` pass "
       "its Parquet files   [input/perfetto]\n"},
      {"table.parquet", "PAR1 and so on",
       "error: the file is a Parquet table with an unknown name\n"
       "  --> table.parquet\n"
       "  help: pass the folder that neuron-explorer or `nsys export --type parquetdir` wrote, "
       "with its original file names   [input/parquet]\n"},
      {"NVTX_EVENTS.parquet", "PAR1 and so on",
       "error: the file is one table of an export of Nsight Systems as Parquet\n"
       "  --> NVTX_EVENTS.parquet\n"
       "  help: pass its folder   [nsight/one-table]\n"},
      {"run.arrows", "ARROW1\0\0"sv,
       "error: the file is an Arrow table, which is not supported\n  --> run.arrows\n"
       "  help: export the report with `nsys export --type sqlite REPORT.nsys-rep`, then pass the "
       "`.sqlite` file   [input/arrow]\n"},
      {"run.jsonl", "{\"CudaEvent\": {\"startNs\": \"1\"}}\n{\"CudaEvent\": {}}\n",
       "error: the file is an export of Nsight Systems as lines of JSON, which is not supported\n"
       "  --> run.jsonl\n"
       "  help: export the report with `nsys export --type sqlite REPORT.nsys-rep`, then pass the "
       "`.sqlite` file   [input/nsys-jsonlines]\n"},
      {"overview_page.json", R"([{"cols": [{"id": "time"}], "rows": []}])",
       "error: the file is a page of XProf, which contains only totals\n"
       "  --> overview_page.json\n"
       "  help: pass the `.xplane.pb` that it was made from "
       "(plugins/profile/<time>/<host>.xplane.pb)   [input/xprof]\n"},
      {"kernel_trace.csv", R"("Kind","Agent_Id","Queue_Id")",
       "error: the file is a table of rocprof, which has no device properties and ranges\n  --> "
       "kernel_trace.csv\n"
       "  help: record with `rocprofv3 --sys-trace -- COMMAND` and pass its `*_results.db`; before "
       "ROCm 7 add `--output-format json` and pass its `*_results.json`   [input/rocprof-csv]\n"},
      {"package.json", R"({"name": "x"})",
       "error: the file is not a profile of a known format\n  --> package.json\n"
       "  note: it is JSON with the keys `name`\n"
       "  help: expected AWS Neuron's JSON, tables or summary, Ascend's trace_view.json, JAX's or "
       "TensorFlow's trace (*.trace.json.gz), PyTorch's trace (*.pt.trace.json or "
       "*.pt.trace.json.gz) or rocprofv3's JSON (*_results.json)   [input/unknown]\n"},
      {"==PROF==.csv", "==PROF== Connected\n\"ID\",\"Process ID\",\"Process Name\"\n",
       "error: the file is a table of Nsight Compute, which runs each kernel many times over: its "
       "times are not those of the run\n  --> ==PROF==.csv\n"
       "  help: `nsys profile -t cuda,nvtx -o REPORT COMMAND`, then `nsys export --type sqlite "
       "REPORT.nsys-rep`   [input/ncu]\n"},
  };
  for (const auto& row : kRows) {
    const std::string name(row.name);
    Write(name, row.content);
    EXPECT_EQ(Outcome(ReadProfile(name, {})), row.outcome) << row.name;
  }
}

// By name, so that a new format is in it without a word here.
TEST_F(Load, UnknownFormatListsKnownOnes) {
  std::vector<std::string> expected;
  for (const auto& reader : BuiltinReaders()) expected.emplace_back(reader->expected());
  std::sort(expected.begin(), expected.end());
  const std::string last = expected.back();
  expected.pop_back();
  Write("notes.txt", "hello");
  EXPECT_EQ(Outcome(ReadProfile("notes.txt", {})),
            fmt::format("error: the file is not a profile of a known format\n  --> notes.txt\n"
                        "  note: it is text that begins with \"hello\"\n"
                        "  help: expected {} or {}   [input/unknown]\n",
                        fmt::join(expected, ", "), last));
}

TEST_F(Load, ReportsMissingAndEmptyPaths) {
  EXPECT_EQ(Outcome(ReadProfile("none.json", {})),
            "error: no such file\n  --> none.json\n  help: check the path; a folder of profiles is "
            "accepted, too   [input/missing]\n");
  fs::create_directory("bare");
  const auto run = LoadRun({"bare"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(RenderDiagnostic(run.error(), {}, false),
            "error: the folder contains no profile\n  --> bare\n"
            "  help: expected files such as worker0.pt.trace.json.gz   [input/no-profiles]\n");
}

TEST_F(Load, NativeReportsGetExportHelp) {
  Write("reports/a.nsys-rep", "\x01\x02\x03");
  Write("reports/b.nsys-rep", "\x01\x02\x03");
  const auto run = LoadRun({"reports"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(RenderDiagnostic(run.error(), {}, false),
            "error: the folder has reports of Nsight Systems in its own format, which only its "
            "own tools can read\n  --> reports\n"
            "  help: export each with `nsys export --type sqlite REPORT.nsys-rep`, then pass the "
            "folder again   [input/nsys-rep]\n");
}

TEST_F(Load, GzipIsKnownByContent) {
  Write("a.json", Gzip(RankTrace(0)));
  const auto profile = ReadProfile("a.json", {});
  EXPECT_EQ(Outcome(profile), "read, name_suffix_wrong 1");
  Write("b.json.gz", Gzip(RankTrace(0)));
  const auto same = ReadProfile("b.json.gz", {});
  EXPECT_EQ(Outcome(same), "read");
  EXPECT_EQ(profile->source.hash, same->source.hash);
}

TEST_F(Load, GzipMembersFollowEachOther) {
  const auto text = RankTrace(0);
  Write("a.json.gz", Gzip(text.substr(0, 40)) + Gzip(text.substr(40)));
  EXPECT_EQ(Outcome(ReadProfile("a.json.gz", {})), "read");
}

TEST_F(Load, DamagedGzipIsAnError) {
  auto bytes = Gzip(RankTrace(0));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55);  // In the checksum.
  Write("a.json.gz", bytes);
  const auto profile = ReadProfile("a.json.gz", {});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "gzip/damaged");
}

std::string Zstd(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

// Frames follow each other, and so do those that are passed over; servers compress twice.
TEST_F(Load, ReadsZstdAndDoubleCompression) {
  const auto text = RankTrace(0);
  Write("plain.json", text);
  const auto plain = ReadProfile("plain.json", {});
  const std::string passed = std::string("\x5A\x2A\x4D\x18\x02\0\0\0ab", 10);
  for (const std::string& bytes :
       {Zstd(text), Zstd(text.substr(0, 40)) + passed + Zstd(text.substr(40)), Gzip(Zstd(text)),
        Zstd(Gzip(text)), Gzip(Gzip(text))}) {
    Write("a.json.zst", bytes);
    const auto profile = ReadProfile("a.json.zst", {});
    ASSERT_EQ(Outcome(profile), "read");
    EXPECT_EQ(profile->source.hash, plain->source.hash);
  }
  Write("a.json", Zstd(text));
  EXPECT_EQ(Outcome(ReadProfile("a.json", {})), "read, name_suffix_wrong 1");
}

TEST_F(Load, DamagedZstdIsAnError) {
  const std::string bytes = Zstd(RankTrace(0));
  const auto code_of = [](const std::string& content) {
    Write("a.json.zst", content);
    const auto profile = ReadProfile("a.json.zst", {});
    return profile ? std::string("read") : profile.error().code;
  };
  EXPECT_EQ(code_of(bytes.substr(0, bytes.size() - 5)), "zstd/truncated");
  std::string damaged = bytes;
  damaged[6] = '\xFF';
  EXPECT_EQ(code_of(damaged).substr(0, 5), "zstd/");
  EXPECT_EQ(code_of(std::string("\x28\xB5\x2F\xFD\0\xA0\1\0\0", 9)), "zstd/window");  // 1 GB.
  // 70 MB of blanks in a few kilobytes.
  EXPECT_EQ(code_of(Gzip(Zstd("[{\"ph\": 1, \"ts\": 1}" + std::string(70'000'000, ' ')))),
            "input/too-large");
}

// A compressed rank that cannot be read is no reason to judge the others as the whole run.
TEST_F(Load, OtherwisePackedRankIsKept) {
  Write("run/rank0.json", RankTrace(0));
  Write("run/rank1.json.xz", std::string("\xFD\x37zXZ\0\0", 7));
  const auto run = LoadRun({"run"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "input/compressed");
  fs::rename("run/rank1.json.xz", "run/notes.xz");
  const auto alone = LoadRun({"run"}, {});
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_THAT(alone->skipped,
              ElementsAre("run/notes.xz: the file is compressed with xz, which is not read"));
}

// Nor is one that is still in the profiler's own format; beside its export it is no rank.
TEST_F(Load, ARankThatIsNotExportedDoesNotVanish) {
  Write("run/rank0.pt.trace.json", RankTrace(0));
  Write("run/rank0.nsys-rep", "\x01\x02\x03");
  Write("run/readme.nsys-rep", "\x01\x02\x03");
  const auto exported = LoadRun({"run"}, {});
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->skipped.size(), 2u);
  fs::rename("run/rank0.nsys-rep", "run/rank1.nsys-rep");
  const auto run = LoadRun({"run"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "input/nsys-rep");
  EXPECT_EQ(run.error().where.file, "run/rank1.nsys-rep");
}

TEST_F(Load, AnUnfinishedFileIsOfAProfilerThatHadNotFinished) {
  Write("a.pt.trace.json.tmp", RankTrace(0).substr(0, 80));
  const auto cut = ReadProfile("a.pt.trace.json.tmp", {});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, "kineto/truncated");
  EXPECT_EQ(cut.error().notes.at(0),
            "note: the name ends with `.tmp`: the profiler had not finished");
}

TEST_F(Load, AFolderIsARunOrderedByRank) {
  Write("run/c.pt.trace.json", RankTrace(0));
  Write("run/a.pt.trace.json", RankTrace(10));
  Write("run/b.pt.trace.json", RankTrace(9));
  Write("run/notes.txt", "hello");
  Write("run/.hidden.json", "{");
  const auto run = LoadRun({"run"}, {});
  ASSERT_TRUE(run) << run.error().message;
  std::vector<std::string> paths;
  for (const auto& profile : run->profiles) paths.push_back(profile.source.path);
  EXPECT_THAT(paths,
              ElementsAre("run/c.pt.trace.json", "run/b.pt.trace.json", "run/a.pt.trace.json"));
  EXPECT_THAT(run->skipped,
              ElementsAre("run/notes.txt: the file is not a profile of a known format"));
}

// Files that may be read one by one: of XLA's two files of a host only the complete one.
TEST_F(Load, SingleFileProfilesByName) {
  for (const char* name : {"b.xplane.pb", "a.xplane.pb", "a.trace.json.gz", ".hidden"}) {
    Write(std::string("hosts/") + name, "");
  }
  EXPECT_THAT(RecordingsOf("hosts"), ElementsAre("hosts/a.xplane.pb", "hosts/b.xplane.pb"));
  for (const char* name : {"a.nvvp", "b.nvvp", "c.dict", "d.pgsum", "e.sqlite", "f.json"}) {
    Write(std::string("each/") + name, "");
  }
  EXPECT_THAT(RecordingsOf("each"), testing::SizeIs(6));
  Write("each/table.csv", "");  // Tables are parts of a profile.
  EXPECT_THAT(RecordingsOf("each"), testing::IsEmpty());
  EXPECT_THAT(RecordingsOf("each/a.nvvp"), testing::IsEmpty());
  EXPECT_THAT(RecordingsOf("-"), testing::IsEmpty());
}

TEST_F(Load, WithoutRanksNamesCount) {
  const auto trace =
      Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2})");
  Write("worker10.1.pt.trace.json", trace);
  Write("worker9.2.pt.trace.json", trace + "\n");
  const auto run = ReadRun({"worker10.1.pt.trace.json", "worker9.2.pt.trace.json"}, {});
  ASSERT_TRUE(run);
  EXPECT_EQ((*run)[0].source.path, "worker9.2.pt.trace.json");
}

TEST_F(Load, ReadsTheFullerOfTwoFiles) {
  Write("run/trace_view.json", R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":"5",
      "dur":2}])");
  Write("run/kernel_details.csv",
        "Name,Accelerator Core,Start Time(us),Duration(us)\nk,AI_CORE,5,1\n");
  const auto run = LoadRun({"run"}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.size(), 1u);
  EXPECT_THAT(run->skipped,
              ElementsAre("run/kernel_details.csv: trace_view.json has the same data and more"));
  // Without others, the table is a profile.
  EXPECT_TRUE(ReadProfile("run/kernel_details.csv", {}));
}

TEST_F(Load, JaxLogFolderGivesLatestProfile) {
  const auto trace =
      Trace(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2})");
  Write("log/plugins/profile/2024_05_01_10_00_00/host.trace.json", trace);
  Write("log/plugins/profile/2024_05_02_09_00_00/host.trace.json", trace);
  const auto run = LoadRun({"log"}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_EQ(run->profiles[0].source.path,
            "log/plugins/profile/2024_05_02_09_00_00/host.trace.json");
  EXPECT_THAT(run->skipped, ElementsAre("log/plugins/profile/2024_05_01_10_00_00: an earlier "
                                        "profile; pass only this file to read it"));
}

TEST_F(Load, BrokenTraceIsNotSkipped) {
  Write("run/a.json", RankTrace(0));
  Write("run/b.json", RankTrace(1).substr(0, 60));
  const auto run = LoadRun({"run"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "kineto/truncated");
}

// If the readable part is judged, an unreadable rank is named and counted, so that it cannot pass
// for a whole run.
TEST_F(Load, CountsBrokenRankBesideOthers) {
  ReadOptions options;
  options.keep_readable = true;
  Write("run/b.json", RankTrace(1).substr(0, 60));
  const auto none = LoadRun({"run"}, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "kineto/truncated");
  Write("run/a.json", RankTrace(0));
  const auto run = LoadRun({"run"}, options);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 1u);
  EXPECT_THAT(run->skipped, ElementsAre(testing::HasSubstr("run/b.json: the trace ends early")));
  EXPECT_EQ(run->profiles.front().log[Counter::ranks_unreadable], 1u);
  Write("run/b.json", "");
  Write("run/_SUCCESS", "");
  const auto empty = LoadRun({"run"}, options);
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_EQ(empty->profiles.front().log[Counter::ranks_unreadable], 1u);
}

// Many files of like size are read side by side.
TEST_F(Load, HowManyThreadsReadChangesNothing) {
  for (int rank = 0; rank < 24; ++rank) Write(fmt::format("run/{}.json", rank), RankTrace(rank));
  Write("run/7.json", RankTrace(7).substr(0, 70));
  Write("run/12.json", "noise");
  Write("run/notes.txt", "hello");
  const auto load = [](unsigned threads, bool keep_readable) {
    ReadOptions options;
    options.threads = threads;
    options.keep_readable = keep_readable;
    std::uint64_t done = 0;
    options.progress = [&](const ReadProgress& of) {
      EXPECT_GE(of.done, of.name == "run" ? done : 0);
      EXPECT_LE(of.done, of.total);
      if (of.name == "run") done = of.done;
    };
    auto run = LoadRun({"run"}, options);
    std::vector<std::string> told;
    if (!run) return std::vector<std::string>{run.error().where.file, run.error().code};
    for (const Profile& profile : run->profiles) told.push_back(profile.source.path);
    told.insert(told.end(), run->skipped.begin(), run->skipped.end());
    return told;
  };
  EXPECT_EQ(load(1, true).size(), 25u);
  for (const unsigned threads : {2U, 3U, 8U}) {
    EXPECT_EQ(load(threads, true), load(1, true));
    EXPECT_THAT(load(threads, false), ElementsAre("run/7.json", "kineto/truncated"));
  }
}

// Standard input and pipes have no size: they may be large, and are read by all threads.
TEST_F(Load, APipeIsReadWithProgress) {
  ASSERT_EQ(mkfifo("pipe", 0600), 0);
  const std::string text = RankTrace(3) + std::string(std::size_t{8} << 20, ' ');
  std::thread writer([&] { Write("pipe", text); });
  ReadOptions options;
  options.threads = 4;
  std::uint64_t done = 0;
  options.progress = [&](const ReadProgress& of) { done = of.done; };
  const auto run = LoadRun({"pipe"}, options);
  writer.join();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.front().distributed.rank, 3);
  EXPECT_GT(done, 0u);
}

// Whatever is in it: a page of an error, a pointer to the file in its place, noise.
TEST_F(Load, SimilarNameMakesAFailedRank) {
  ReadOptions options;
  options.keep_readable = true;
  Write("run/rank9.json", RankTrace(0));
  Write("run/settings.json", "{\"epochs\": 3}");
  for (const char* text : {"<html>404</html>", "version https://git-lfs.github.com/spec/v1\n",
                           "\x01\x02noise", "{\"epochs\": 3}"}) {
    Write("run/rank10.json", text);
    const auto run = LoadRun({"run"}, options);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->profiles.front().log[Counter::ranks_unreadable], 1u) << text;
    EXPECT_EQ(run->skipped.size(), 2u) << text;
    EXPECT_FALSE(LoadRun({"run"}, {})) << text;
  }
}

// A trace of one op at `start`, recorded by `rank` (-1: not said), with iterations by number.
std::string RankAt(int rank, std::int64_t start, std::string_view more = "", int step = 0) {
  std::string text = "{";
  if (rank >= 0) text += fmt::format(R"("distributedInfo": {{"rank": {}{}}}, )", rank, more);
  text += fmt::format(
      R"("traceEvents": [{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{},"dur":2}})",
      start);
  if (step > 0) {
    text += fmt::format(
        R"(,{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},)"
        R"("dur":4}})",
        step, start - 1);
  }
  return text + "]}";
}

TEST_F(Load, DifferentRunsAreNoRanks) {
  struct Row {
    std::string_view why;
    std::string a, b;
  };
  const Row rows[] = {
      {"both are rank 0", RankAt(0, 5), RankAt(0, 6)},
      {"their world sizes are 2 and 4", RankAt(0, 5, R"(, "world_size": 2)"),
       RankAt(1, 5, R"(, "world_size": 4)")},
      {"their iterations are numbered 3 to 3 and 9 to 9", RankAt(0, 5, "", 3), RankAt(1, 5, "", 9)},
      {"they were recorded one after the other, and neither has a rank", RankAt(-1, 5),
       RankAt(-1, 9000)},
      {"the second was recorded 4 200 s after the first, and ranks run at the same time",
       RankAt(0, 1'700'000'000'000'000), RankAt(1, 1'700'004'200'000'002)},
      {"the second was recorded 4 200 s before the first, and ranks run at the same time",
       RankAt(0, 1'700'004'200'000'002), RankAt(1, 1'700'000'000'000'000)},
      {"the second was recorded 120 s after the first, and ranks run at the same time",
       RankAt(0, 1'700'000'000'000'000, "", 3), RankAt(1, 1'700'000'120'000'002, "", 3)},
      {"their formats are kineto and ascend", RankAt(0, 5),
       "Name,Accelerator Core,Start Time(us),Duration(us)\nk,AI_CORE,5,1\n"}};
  for (const Row& row : rows) {
    Write("runs/a.json", row.a);
    Write("runs/b.json", row.b);
    for (const std::vector<std::string>& given :
         {std::vector<std::string>{"runs"}, {"runs/a.json", "runs/b.json"}}) {
      const auto run = LoadRun(given, {});
      ASSERT_FALSE(run) << row.why;
      EXPECT_EQ(run.error().kind, ErrorKind::kInput);
      EXPECT_EQ(run.error().code, "input/several-runs");
      EXPECT_THAT(run.error().notes,
                  ElementsAre(fmt::format("note: `runs/a.json` and `runs/b.json`: {}", row.why),
                              "help: `profgauge check runs/a.json`",
                              "help: `profgauge check runs/b.json`"));
    }
  }
  // Ranks that differ in nothing else.
  Write("runs/a.json", RankAt(0, 5, "", 3));
  Write("runs/b.json", RankAt(1, 9000, "", 3));
  EXPECT_TRUE(LoadRun({"runs"}, {}));
  // Clocks of hosts differ, and those that count from a boot are no evidence.
  Write("runs/a.json", RankAt(0, 1'700'000'000'000'000));
  Write("runs/b.json", RankAt(1, 1'700'000'030'000'000));
  EXPECT_TRUE(LoadRun({"runs"}, {}));
  Write("runs/a.json", RankAt(0, 5'000'000));
  Write("runs/b.json", RankAt(1, 9'000'000'000'000));
  EXPECT_TRUE(LoadRun({"runs"}, {}));
}

// Two profiles of one time may be two good runs, or a good and a bad one.
TEST_F(Load, RefusesToMergeUnknownRanks) {
  Write("runs/a.json", RankAt(-1, 5));
  Write("runs/b.json", RankAt(-1, 6));
  const auto named = LoadRun({"runs/b.json", "runs/a.json"}, {});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().kind, ErrorKind::kInput);
  EXPECT_EQ(named.error().code, "input/ranks-unknown");
  EXPECT_THAT(named.error().notes,
              ElementsAre("help: ranks 0, 1, … of one run: `profgauge check --ranks as-listed "
                          "runs/a.json runs/b.json`",
                          "help: for a separate run: `profgauge check runs/a.json`",
                          "help: for a separate run: `profgauge check runs/b.json`",
                          "help: runs of one program: compare them with `--baseline FILE`"));
  EXPECT_EQ(LoadRun({"runs"}, {}).error().code, "input/ranks-unknown");
  // One that states its rank says nothing of the other.
  Write("runs/a.json", RankAt(0, 5));
  EXPECT_EQ(LoadRun({"runs"}, {}).error().code, "input/ranks-unknown");
}

// Every two profiles at hand: merged ones state their ranks, or are of one folder of one run.
TEST(Ranks, NothingIsMergedWithoutAStatement) {
  const fs::path shared = fs::path(PROFGAUGE_SHARED_DIR) / "data";
  if (!fs::exists(shared)) GTEST_SKIP() << "no shared recordings";
  constexpr std::uintmax_t kMostBytes = 30'000;
  std::vector<std::vector<Profile>> recordings;
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(shared)) {
    if (entry.is_regular_file() && entry.file_size() <= kMostBytes) {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  constexpr std::size_t kMost = 60;
  const std::size_t step = paths.size() / (4 * kMost) + 1;
  for (std::size_t i = 0; i < paths.size() && recordings.size() < kMost; i += step) {
    const std::string& path = paths[i];
    auto run = LoadRun({path}, {});
    if (run && run->profiles.size() == 1) recordings.push_back(std::move(run->profiles));
  }
  ASSERT_GT(recordings.size(), 10u);
  std::size_t merged = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (std::size_t k = i + 1; k < recordings.size(); ++k) {
      std::vector<Profile> both;
      both.push_back(std::move(recordings[i].front()));
      both.push_back(std::move(recordings[k].front()));
      const std::int64_t a = both[0].distributed.rank, b = both[1].distributed.rank;
      GiveRanks(both, RanksFrom::kRecorded);
      if (CheckOneRun(both, "")) {
        ++merged;
        const bool recorded = a >= 0 && b >= 0 && a != b;
        EXPECT_TRUE(recorded || RanksOfNames({both[0].source.path, both[1].source.path}))
            << both[0].source.path << " and " << both[1].source.path;
      }
      both[0].distributed.rank = a;
      both[1].distributed.rank = b;
      recordings[i].front() = std::move(both[0]);
      recordings[k].front() = std::move(both[1]);
    }
  }
  EXPECT_LT(merged, recordings.size());
}

TEST_F(Load, NumbersRanksAsListed) {
  Write("b.json", RankAt(-1, 5));
  Write("a.json", RankAt(-1, 6));
  const auto run = LoadRun({"b.json", "a.json"}, {}, RanksFrom::kListed);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles[0].source.path, "b.json");
  EXPECT_EQ(run->profiles[0].distributed.rank, 0);
  EXPECT_EQ(run->profiles[1].distributed.rank, 1);
  EXPECT_THAT(run->profiles[0].facts, ::testing::Contains(std::pair<std::string, std::string>(
                                          kRanksGivenBy, "their order on the command line")));
  // A recorded rank is kept, whatever the order is.
  Write("b.json", RankAt(1, 5));
  EXPECT_EQ(LoadRun({"b.json", "a.json"}, {}, RanksFrom::kListed).error().code,
            "input/several-runs");
}

TEST_F(Load, TakesRanksFromNames) {
  Write("run/rank3_trace.json", RankAt(-1, 5));
  Write("run/rank10_trace.json", RankAt(-1, 6));
  const auto run = LoadRun({"run/rank10_trace.json", "./run/rank3_trace.json"}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles[0].distributed.rank, 3);
  EXPECT_EQ(run->profiles[1].distributed.rank, 10);
  // Recorded one after the other they are two runs, whatever their names are.
  Write("run/rank10_trace.json", RankAt(-1, 9000));
  EXPECT_EQ(LoadRun({"run"}, {}).error().code, "input/several-runs");
  // A recorded rank wins over that of the name.
  Write("run/rank10_trace.json", RankAt(5, 6));
  EXPECT_EQ(LoadRun({"run"}, {}).error().code, "input/ranks-unknown");
}

TEST_F(Load, MergesHostsOfOneSession) {
  Write("log/plugins/profile/2026_01_01/a.trace.json", RankAt(-1, 5));
  Write("log/plugins/profile/2026_01_01/b.trace.json", RankAt(-1, 6));
  const auto run = LoadRun({"log"}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->profiles.size(), 2u);
}

// vLLM writes a profile of its coordinator beside those of the ranks.
TEST_F(Load, LeavesOutCoordinator) {
  Write("run/dp0_tp0_rank0.pt.trace.json", RankAt(0, 5));
  Write("run/dp0_tp1_rank1.pt.trace.json", RankAt(1, 6));
  Write("run/host_99.async_llm.pt.trace.json", RankAt(-1, 6));
  const auto run = LoadRun({"run"}, {});
  // Without device work of the ranks nothing tells them from a coordinator.
  EXPECT_FALSE(run.has_value());
  const auto with_kernel = [](std::string text) {
    const std::string_view kernel =
        R"(, {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":7,"dur":2,)"
        R"("args":{"device":0,"stream":7}})";
    return text.insert(text.rfind(']'), kernel);
  };
  Write("run/dp0_tp0_rank0.pt.trace.json", with_kernel(RankAt(0, 5)));
  Write("run/dp0_tp1_rank1.pt.trace.json", with_kernel(RankAt(1, 6)));
  const auto ranks = LoadRun({"run"}, {});
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_EQ(ranks->profiles.size(), 2U);
  ASSERT_EQ(ranks->skipped.size(), 1U);
  EXPECT_NE(ranks->skipped.front().find("async_llm"), std::string::npos);
  // A rank that lost its work has a name like theirs, and stays.
  Write("run/dp0_tp2_rank2.pt.trace.json", RankAt(-1, 6));
  EXPECT_EQ(LoadRun({"run/dp0_tp0_rank0.pt.trace.json", "run/dp0_tp1_rank1.pt.trace.json",
                     "run/dp0_tp2_rank2.pt.trace.json"},
                    {})
                ->profiles.size(),
            3U);
}

TEST_F(Load, MergedFileStatesItsRanks) {
  std::string events;
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 3; ++i) {
      events +=
          fmt::format(R"({}{{"ph":"X","cat":"kernel","name":"k","pid":{},"tid":7,"ts":{},"dur":2,)"
                      R"("args":{{"device":0,"stream":7,"correlation":{},"rank":{}}}}})",
                      events.empty() ? "" : ",", rank * 1000, 10 * i + 5, rank * 1000 + i, rank);
    }
  }
  Write("merged.json", "{\"traceEvents\": [" + events + "]}");
  const auto run = LoadRun({"merged.json"}, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->profiles.size(), 2U);
  EXPECT_EQ(run->profiles[0].distributed.rank, 0);
  EXPECT_EQ(run->profiles[1].distributed.rank, 1);
  EXPECT_EQ(run->profiles[1].device.size(), 3U);
}

TEST(Ranks, ByNames) {
  using Ranks = std::optional<std::vector<std::int64_t>>;
  const Ranks kNone;
  const struct {
    std::vector<std::string> paths;
    Ranks ranks;
  } rows[] = {
      {{"worker1.1700000000001.pt.trace.json", "worker0.1700000000900.pt.trace.json"},
       Ranks({1, 0})},
      {{"profile_traces/iteration_10/rank0_trace.json",
        "profile_traces/iteration_10/rank1_trace.json"},
       Ranks({0, 1})},
      {{"torch_profile/rank-0.json.gz", "torch_profile/rank-12.json.gz"}, Ranks({0, 12})},
      {{"D/profile_0.json", "D/profile_1.json"}, Ranks({0, 1})},
      {{"1700000000-TP-0.trace.json.gz", "1700000000-TP-1.trace.json.gz"}, Ranks({0, 1})},
      {{"rank0.40.pt.trace.json", "rank1.40.pt.trace.json"}, Ranks({0, 1})},
      {{"rank_0/trace.json", "rank_1/trace.json"}, Ranks({0, 1})},
      {{"rank0/rank0.json", "rank1/rank1.json"}, Ranks({0, 1})},
      {{"1-TP-0-DP-0.json", "1-TP-0-DP-1.json"}, Ranks({0, 1})},
      {{"node1/rank0.json", "node0/rank1.json"}, Ranks({0, 1})},
      {{"dp0_pp0_tp0_dcp0_ep0_rank0.json", "dp0_pp0_tp1_dcp0_ep1_rank1.json"}, Ranks({0, 1})},
      {{"iter_10_rank_0_tp_0_pp_0.json", "iter_10_rank_1_tp_1_pp_0.json",
        "iter_10_rank_2_tp_0_pp_1.json", "iter_10_rank_3_tp_1_pp_1.json"},
       Ranks({0, 1, 2, 3})},
      {{"tp1_pp1.json", "tp0_pp1.json", "tp1_pp0.json", "tp0_pp0.json"}, Ranks({3, 2, 1, 0})},
      // Grids with a hole, local ranks, and words that disagree.
      {{"tp1_pp1.json", "tp0_pp1.json", "tp1_pp0.json"}, kNone},
      {{"node0/rank0.json", "node1/rank0.json"}, kNone},
      {{"rank0/rank1.json", "rank1/rank0.json"}, kNone},
      {{"exp1/rank0.json", "exp0/rank1.json"}, kNone},
      // Processes, runs and iterations are no ranks.
      {{"healthy.pt.trace.json.gz", "slow.pt.trace.json.gz"}, kNone},
      {{"node1_11.1700000000001.pt.trace.json", "node1_12.1700000000001.pt.trace.json"}, kNone},
      {{"run1.json", "run2.json"}, kNone},
      {{"crank1.json", "crank2.json"}, kNone},
      {{"iteration_10/rank0_trace.json", "iteration_20/rank1_trace.json"}, kNone},
      {{"num_workers_0__worker0.json", "num_workers_4__worker0.json"}, kNone},
      {{"rank0.json", "rank00.json"}, kNone},
      {{"rank0.json"}, kNone},
      {{"rank99999999999999999999.json", "rank1.json"}, kNone},
  };
  for (const auto& row : rows) EXPECT_EQ(RanksOfNames(row.paths), row.ranks) << row.paths[0];
}

TEST_F(Load, ListsRanksByRun) {
  Write("runs/a0.json", RankAt(0, 5));
  Write("runs/a1.json", RankAt(1, 5));
  Write("runs/b0.json", RankAt(0, 6));
  Write("runs/b1 x.json", RankAt(1, 6));
  const auto run = LoadRun({"runs"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "the folder has 2 runs, not the ranks of one");
  EXPECT_EQ(run.error().notes.size(), 3u);
  EXPECT_THAT(run.error().notes, ::testing::Contains(::testing::HasSubstr("'runs/b1 x.json'")));
}

TEST_F(Load, SameFileTwiceIsOneRank) {
  Write("run/a.json", RankAt(0, 5));
  Write("run/b.json", RankAt(0, 5));
  fs::create_hard_link("run/a.json", "link.json");
  for (const std::vector<std::string>& given :
       std::vector<std::vector<std::string>>{{"run"},
                                             {"run/a.json", "run/a.json"},
                                             {"run/a.json", "./run/../run/a.json"},
                                             {"run/a.json", "link.json"},
                                             {"run/a.json", "run/b.json"}}) {
    const auto run = LoadRun(given, {});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, "input/same-file-twice");
  }
}

TEST_F(Load, TensorboardGivesLatestOfEachRank) {
  Write("log/node1_11.1700000000001.pt.trace.json", RankAt(0, 5, "", 1));
  Write("log/node1_11.1700000000900.pt.trace.json", RankAt(0, 905, "", 9));
  Write("log/node1_12.1700000000002.pt.trace.json", RankAt(1, 5, "", 1));
  Write("log/node1_12.1700000000901.pt.trace.json", RankAt(1, 905, "", 9));
  const auto run = LoadRun({"log"}, {});
  ASSERT_TRUE(run) << run.error().message;
  std::vector<std::string> paths;
  for (const Profile& profile : run->profiles) paths.push_back(profile.source.path);
  EXPECT_THAT(paths, ElementsAre("log/node1_11.1700000000900.pt.trace.json",
                                 "log/node1_12.1700000000901.pt.trace.json"));
  EXPECT_THAT(run->skipped, ElementsAre("log/node1_11.1700000000001.pt.trace.json: an earlier "
                                        "profile; pass only this file to read it",
                                        "log/node1_12.1700000000002.pt.trace.json: an earlier "
                                        "profile; pass only this file to read it"));
  EXPECT_THAT(run->profiles[0].facts,
              ::testing::Contains(std::pair<std::string, std::string>(
                  "earlier profiles skipped", "2; the latest in the folder is read")));
  // Without recorded ranks: the same host, one after the other.
  Write("alone/node1_11.1700000000001.pt.trace.json", RankAt(-1, 5));
  Write("alone/node1_14.1700000000900.pt.trace.json", RankAt(-1, 905));
  const auto alone = LoadRun({"alone"}, {});
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->profiles.size(), 1u);
  // Named one by one nothing is left out.
  EXPECT_FALSE(LoadRun(
      {"alone/node1_11.1700000000001.pt.trace.json", "alone/node1_14.1700000000900.pt.trace.json"},
      {}));
}

// A profile that represents a summary is distinguished like others; the code shows that it was one.
TEST(OneRun, RefusesSummariesOfSeveralRuns) {
  std::vector<Profile> two(2);
  two[0].source.path = "monday.pgsum";
  two[1].source.path = "tuesday.pgsum";
  for (Profile& profile : two) profile.distributed.rank = 3;
  EXPECT_EQ(CheckOneRun(two, "").error().code, "input/several-runs");
  two[1].summary = "kept";
  const Status refused = CheckOneRun(two, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "summary/other-run");
  EXPECT_EQ(refused.error().notes.front(),
            "note: `monday.pgsum` and `tuesday.pgsum`: both are rank 3");
}

}  // namespace
}  // namespace profgauge::readers
