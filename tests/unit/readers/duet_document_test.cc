// `duet.json`: a written document is read as the same, and no other file is taken for one.
#include "readers/run_side/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

TEST(DuetDocument, IsReadAsItWasWritten) {
  const auto read =
      ReadDuet(R"({"schema":1,"kind":"duet","order":"ABBA","process":"both_loaded","warmup":2,)"
               R"("a":{"commit":"abc1234"},"b":{"per_step":{"samples":128}},)"
               R"("blocks":[{"side":"A","start":0,"ns":[1000,2000]},{"side":"B","ns":[3000]}]})");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->order, "ABBA");
  EXPECT_EQ(read->warmup, 2);
  EXPECT_EQ(read->process, DuetProcess::kBothLoaded);
  EXPECT_EQ(read->a.commit, "abc1234");
  EXPECT_EQ(read->b.work.at("samples"), 128);
  ASSERT_EQ(read->blocks.size(), 2u);
  EXPECT_TRUE(read->blocks[1].is_b);
  EXPECT_EQ(read->blocks[0].lengths.back(), 2'000);
  EXPECT_EQ(read->blocks[0].start, 0);
  EXPECT_EQ(read->blocks[1].start, -1);
}

std::string Refused(const std::string& text) {
  const auto duet = ReadDuet(text);
  return duet ? "" : duet.error().code + " " + duet.error().message;
}

std::string With(const std::string& fields) {
  return R"({"schema":1,"kind":"duet",)" + fields + "}";
}

TEST(DuetDocument, NamesTheUnusablePlace) {
  EXPECT_EQ(Refused(With(R"("blocks":[])")), "");
  EXPECT_EQ(Refused("[]"), "duet/unreadable the document is not an object");
  EXPECT_EQ(Refused("{"), "duet/unreadable no JSON, from byte 1 on");
  EXPECT_EQ(Refused(R"({"kind":"duet"})"), "duet/unreadable `schema` is not a whole number");
  EXPECT_EQ(Refused(R"({"schema":2,"kind":"duet"})"),
            "duet/newer schema 2 is newer than this program's 1");
  EXPECT_EQ(Refused(R"({"schema":1,"kind":"run"})"), "duet/unreadable `kind` is not \"duet\"");
  EXPECT_EQ(Refused(With(R"("process":"two","blocks":[])")),
            "duet/unreadable `process` is not both_loaded, restarted or one");
  EXPECT_EQ(Refused(With(R"("warmup":-1,"blocks":[])")),
            "duet/unreadable `warmup` is not a whole number");
  EXPECT_EQ(Refused(With(R"("blocks":{})")), "duet/unreadable `blocks` is not a list");
  EXPECT_EQ(Refused(With(R"("blocks":[3])")), "duet/unreadable `blocks[0]` is not an object");
  EXPECT_EQ(Refused(With(R"("blocks":[{"side":"C"}])")),
            "duet/unreadable `blocks[0].side` is not A or B");
  EXPECT_EQ(Refused(With(R"("blocks":[{"side":"A"}])")),
            "duet/unreadable `blocks[0].ns` is not a list");
  for (const char* length : {"0", "-5", "1.5", "\"7\"", "86400000000001", "1e300", "null"}) {
    EXPECT_EQ(Refused(With(R"("blocks":[{"side":"A","ns":[)" + std::string(length) + "]}]")),
              "duet/unreadable `blocks[0].ns` is not a list of whole nanoseconds above 0, up to a "
              "day")
        << length;
  }
}

TEST(DuetDocument, HostileSizesAreRefused) {
  std::string steps;
  for (int i = 0; i < 65'537; ++i) steps += "7,";
  steps.pop_back();
  EXPECT_EQ(Refused(With(R"("blocks":[{"side":"A","ns":[)" + steps + "]}]")),
            "duet/too-large over 65536 iterations");
  EXPECT_EQ(Refused(std::string(2 << 20, ' ')), "duet/too-large over 1048576 bytes");
  std::string blocks;
  for (int i = 0; i < 4'097; ++i) blocks += R"({"side":"A","ns":[7]},)";
  blocks.pop_back();
  EXPECT_EQ(Refused(With("\"blocks\":[" + blocks + "]")), "duet/too-large over 4096 blocks");
  EXPECT_EQ(Refused(std::string(100, '[')).substr(0, 15), "duet/unreadable");
}

// Personal paths are no revisions.
TEST(DuetDocument, OnlyRevisionsAreKept) {
  const auto duet = ReadDuet(With(R"("a":{"commit":"/home/x"},"b":{"commit":7},"blocks":[])"));
  ASSERT_TRUE(duet.has_value());
  EXPECT_EQ(duet->a.commit, "");
  EXPECT_EQ(duet->b.commit, "");
}

TEST(DuetDocument, IsFoundInItsFolder) {
  const fs::path folder = fs::path(::testing::TempDir()) / "duet_document";
  fs::remove_all(folder);
  fs::create_directories(folder);
  EXPECT_EQ(DuetFileOf(folder.string()), "");
  const fs::path file = folder / "duet.json";
  std::ofstream(file) << "{}";
  EXPECT_EQ(DuetFileOf(folder.string()), file.string());
  EXPECT_EQ(DuetFileOf(file.string()), file.string());
  EXPECT_EQ(DuetFileOf((folder / "other.json").string()), "");
}

}  // namespace
}  // namespace profgauge::readers
