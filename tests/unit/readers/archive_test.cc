// zip and tar as folders of profiles: their members, in any form, and their faults.
#include "base/archive.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.h"
#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string RankTrace(int rank) {
  return fmt::format(
      R"({{"distributedInfo": {{"rank": {}, "world_size": 2}}, "traceEvents": [{{"ph":"X",)"
      R"("cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":2}}]}})",
      rank);
}

struct File {
  std::string name, content;
  bool deflated = true;
};

std::string Little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
  return text;
}

std::string RawDeflated(const std::string& content) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string packed(libdeflate_deflate_compress_bound(compressor.get(), content.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor.get(), content.data(), content.size(),
                                            packed.data(), packed.size()));
  return packed;
}

std::string Zip(const std::vector<File>& files, unsigned flags = 0) {
  std::string zip, directory;
  for (const File& file : files) {
    const std::string bytes = file.deflated ? RawDeflated(file.content) : file.content;
    const std::string common =
        Little(20, 2) + Little(flags, 2) + Little(file.deflated ? 8 : 0, 2) + Little(0, 4) +
        Little(libdeflate_crc32(0, file.content.data(), file.content.size()), 4) +
        Little(bytes.size(), 4) + Little(file.content.size(), 4) + Little(file.name.size(), 2) +
        Little(0, 2);
    directory += "PK\x01\x02" + Little(20, 2) + common + Little(0, 2) + Little(0, 2) +
                 Little(0, 2) + Little(0, 4) + Little(zip.size(), 4) + file.name;
    zip += "PK\x03\x04" + common + file.name + bytes;
  }
  const std::string end = Little(files.size(), 2) + Little(files.size(), 2) +
                          Little(directory.size(), 4) + Little(zip.size(), 4) + Little(0, 2);
  return zip + directory + "PK\x05\x06" + Little(0, 4) + end;
}

std::string TarHead(const std::string& name, std::size_t size, char type) {
  std::string head(512, '\0');
  head.replace(0, std::min<std::size_t>(name.size(), 100), name.substr(0, 100));
  head.replace(124, 11, fmt::format("{:011o}", size));
  head[156] = type;
  head.replace(257, 5, "ustar");
  head.replace(263, 2, "00");
  head.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : head) sum += static_cast<unsigned char>(byte);
  head.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  return head;
}
std::string Padded(std::string content) {
  content.resize((content.size() + 511) / 512 * 512);
  return content;
}
std::string Tar(const std::vector<File>& files) {
  std::string tar;
  for (const File& file : files) {
    if (file.name.size() > 100) {
      tar += TarHead("././@LongLink", file.name.size() + 1, 'L') + Padded(file.name + '\0');
    }
    tar += TarHead(file.name, file.content.size(), '0') + Padded(file.content);
  }
  return tar + std::string(1024, '\0');
}

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("profgauge_archive_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  static void Write(const std::string& path, std::string_view content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string CodeOf(const std::string& path) {
    const auto run = LoadRun({path}, {});
    return run ? "read" : run.error().code;
  }
  fs::path folder_;
};

TEST_F(Archive, MembersAreTheRanksOfARun) {
  const std::string longer = std::string(120, 'x') + "/rank1.json.gz";
  const std::vector<File> files = {{"run/rank0.json", RankTrace(0)},
                                   {longer, Gzip(RankTrace(1)), false},
                                   {"run/.hidden", "x"},
                                   {"__MACOSX/run/rank0.json", "x"},
                                   {"run/notes.txt", "hello"}};
  Write("a.zip", Zip(files));
  Write("a.tar", Tar(files));
  Write("a.tar.gz", Gzip(Tar(files)));
  Write("renamed", Gzip(Tar(files)));
  Write("0.json", RankTrace(0));
  Write("1.json", RankTrace(1));
  const auto plain = LoadRun({"0.json", "1.json"}, {});
  ASSERT_TRUE(plain);
  for (const std::string path : {"a.zip", "a.tar", "a.tar.gz", "renamed"}) {
    const auto run = LoadRun({path}, {});
    ASSERT_TRUE(run) << path << ": " << run.error().message;
    ASSERT_EQ(run->profiles.size(), 2u) << path;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(run->profiles[i].source.hash, plain->profiles[i].source.hash);
      EXPECT_EQ(run->profiles[i].distributed.rank, static_cast<std::int64_t>(i));
      EXPECT_EQ(run->profiles[i].log[Counter::name_suffix_wrong], 0u);
    }
    EXPECT_EQ(run->profiles[0].source.path, path + "/run/rank0.json");
    EXPECT_THAT(run->skipped,
                ElementsAre(path + "/run/notes.txt: the file is not a profile of a known format"));
    // One of them by its name.
    EXPECT_TRUE(ReadProfile(path + "/run/rank0.json", {})) << path;
    const auto missing = ReadProfile(path + "/run/rank7.json", {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "input/missing");
  }
}

std::string Taken(ByteSource& source, std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t have = 0;
  while (have < most) {
    const auto got = source.Read(std::as_writable_bytes(std::span(bytes).subspan(have)));
    EXPECT_TRUE(got) << got.error().message;
    if (!got || *got == 0) break;
    have += *got;
  }
  bytes.resize(have);
  return bytes;
}

// One that is read on is the archive that another file was read from, as far as that went.
TEST_F(Archive, FilesOfACompressedTarAreReadInAnyOrder) {
  std::minstd_rand random(7);
  std::vector<File> files;
  for (const std::size_t size : {10, 3'000'000, 511, 512, 0, 1'100'000, 70'000, 513}) {
    std::string content;
    while (content.size() < size) content += std::to_string(random()) + " ";
    content.resize(size);
    files.push_back({std::to_string(files.size()), content});
  }
  Write("a.tar.gz", Gzip(Tar(files)));
  std::unique_ptr<ByteSource> open;
  std::string left;
  for (int i = 0; i < 300; ++i) {
    const File& file = files[random() % files.size()];
    auto source = OpenMember("a.tar.gz", ArchiveKind::kTar, file.name);
    ASSERT_TRUE(source) << source.error().message;
    const std::size_t first = random() % 3 == 0 ? random() % 2'000'000 : random() % 2'000;
    const std::string taken = Taken(**source, first);
    ASSERT_EQ(taken, file.content.substr(0, first)) << file.name;
    // Another is read while this one is open.
    if (open) {
      ASSERT_EQ(Taken(*open, 4'000'000), left);
    }
    open = std::move(*source);
    left = file.content.substr(taken.size());
  }
  // Another archive in its place is another one.
  files[3].content = std::string(512, 'x');
  Write("a.tar.gz", Gzip(Tar(files)));
  const auto source = OpenMember("a.tar.gz", ArchiveKind::kTar, "3");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(Taken(**source, 1000), files[3].content);
}

TEST_F(Archive, ReportsFaultsOfAnArchive) {
  const std::vector<File> files = {{"rank0.json", RankTrace(0)}, {"rank1.json", RankTrace(1)}};
  const std::string zip = Zip(files), tar = Tar(files);
  Write("a.zip", zip.substr(0, zip.size() - 30));
  EXPECT_EQ(CodeOf("a.zip"), "archive/truncated");
  Write("a.tar", tar.substr(0, 700));
  EXPECT_EQ(CodeOf("a.tar"), "archive/truncated");
  std::string broken = tar;
  broken[1024 + 20] = 'z';  // In the second head.
  Write("a.tar", broken);
  EXPECT_EQ(CodeOf("a.tar"), "archive/damaged");
  std::string wrong = Zip({{"rank0.json", RankTrace(0), false}});
  wrong[wrong.find("cpu_op")] = 'g';
  Write("a.zip", wrong);
  EXPECT_EQ(CodeOf("a.zip"), "archive/damaged");  // The checksum.
  Write("a.zip", Zip({{"rank0.json", RankTrace(0)}, {"rank0.json", RankTrace(1)}}));
  EXPECT_EQ(CodeOf("a.zip"), "archive/damaged");  // One of the two would be read by nobody.
  Write("a.zip", Zip(files, 1));
  EXPECT_EQ(CodeOf("a.zip"), "input/zip");  // Encrypted: there is nothing that can be read.
  Write("a.zip", Zip({{"archive/data.pkl", "x"}, {"archive/version", "3"}}));
  EXPECT_EQ(CodeOf("a.zip"), "input/checkpoint");
  Write("a.zip", Zip({}));
  EXPECT_EQ(CodeOf("a.zip"), "input/zip");
  Write("a.tar", Tar({{"notes.txt", "hello"}}));
  EXPECT_EQ(CodeOf("a.tar"), "input/archive");
  // A rank that is not read is none that may be left out.
  std::string method = Zip({{"rank0.json", RankTrace(0)}, {"rank1.json", RankTrace(1)}});
  method[method.rfind("PK\x01\x02") + 10] = 12;
  Write("a.zip", method);
  EXPECT_EQ(CodeOf("a.zip"), "input/archive-member");
  Write("a.zip", Zip(std::vector<File>(65'537, File{"a", "x", false})));
  EXPECT_EQ(CodeOf("a.zip"), "archive/too-large");
}

// Cut and changed archives never crash, and read bytes equal written ones.
TEST_F(Archive, AnyDamageIsAnError) {
  const std::vector<File> files = {{"run/rank0.json", RankTrace(0)}};
  for (const std::string& whole : {Zip(files), Tar(files)}) {
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      Write("cut", whole.substr(0, size));
      CodeOf("cut");
    }
    for (std::size_t at = 0; at < whole.size(); at += 3) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0xFF);
      Write("changed", changed);
      CodeOf("changed");
    }
  }
}

}  // namespace
}  // namespace profgauge::readers
