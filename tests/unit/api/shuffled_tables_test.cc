// No reader depends on the order of a table's rows: databases whose rows are in another order
// give the same report, byte for byte.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(PROFGAUGE_SHARED_DIR) / "data";

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Database = std::unique_ptr<sqlite3, Close>;

Database Open(const std::string& name) {
  sqlite3* handle = nullptr;
  sqlite3_open_v2(name.c_str(), &handle,
                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nullptr);
  return Database(handle);
}

std::string Run(sqlite3* handle, const std::string& sql) {
  char* message = nullptr;
  sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message);
  const std::string text = message == nullptr ? "" : message;
  sqlite3_free(message);
  return text;
}

/// Name and SQL of each table.
std::map<std::string, std::string> TablesOf(sqlite3* handle) {
  std::map<std::string, std::string> tables;
  sqlite3_exec(
      handle,
      "select name, sql from kept.sqlite_master where type = 'table' and name not like 'sqlite_%'",
      [](void* to, int, char** values, char**) {
        (*static_cast<std::map<std::string, std::string>*>(to))[values[0]] = values[1];
        return 0;
      },
      &tables, nullptr);
  return tables;
}

std::uint64_t state = 1;
void NextNumber(sqlite3_context* context, int, sqlite3_value**) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  sqlite3_result_int64(context, static_cast<std::int64_t>(state >> 1));
}

/// Each table as it is declared, with its rows in another order. A table ordered by a key of whole
/// numbers keeps its order.
void Shuffle(const std::string& from, const std::string& to, std::uint64_t seed) {
  fs::remove(to);
  const Database database = Open(to);
  state = seed;
  sqlite3_create_function(database.get(), "next_number", 0, SQLITE_UTF8, nullptr, NextNumber,
                          nullptr, nullptr);
  ASSERT_EQ(Run(database.get(), "attach 'file:" + from + "?immutable=1' as kept"), "");
  for (const auto& [name, sql] : TablesOf(database.get())) {
    if (sql.find("CREATE VIRTUAL") == 0) continue;
    ASSERT_EQ(Run(database.get(), sql), "");
    ASSERT_EQ(Run(database.get(), "insert into main.\"" + name + "\" select * from kept.\"" + name +
                                      "\" order by next_number()"),
              "");
  }
}

/// The report without the numbers that depend on the file's bytes.
std::string ReportOf(const std::string& path) {
  const auto recording = Load({path}, {});
  if (!recording) return recording.error().code;
  const auto judged = Evaluate(*recording, {});
  if (!judged) return judged.error().front().code;
  std::string text = Render(*judged, Format::kJson).value_or("");
  std::string left;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const bool is_of_file = line.find("\"hash\"") != line.npos ||
                            line.find("\"bytes\"") != line.npos ||
                            line.find("\"input") != line.npos;
    if (!is_of_file) left += line + "\n";
    at = end + 1;
  }
  return left;
}

/// The first line that differs.
std::string Difference(const std::string& a, const std::string& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto line = [](const std::string& text, std::size_t place) {
    const std::size_t begin = text.rfind('\n', place) + 1;
    return text.substr(begin, std::min<std::size_t>(text.find('\n', place) - begin, 300));
  };
  if (at == a.end() && other == b.end()) return "";
  const auto place = static_cast<std::size_t>(at - a.begin());
  return line(a, std::min(place, a.size() - 1)) + "\n" + line(b, std::min(place, b.size() - 1));
}

bool IsDatabase(const fs::path& path) {
  constexpr std::uintmax_t kMost = 8 << 20;  // The larger ones hold nothing that these do not.
  std::string head(15, '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), 15);
  return head == "SQLite format 3" && fs::file_size(path) <= kMost;
}

TEST(ShuffledTables, GiveTheSameReport) {
  std::vector<fs::path> databases;
  for (const char* folder : {"dlprof", "nsight-systems", "nvprof", "parquet", "rocm"}) {
    if (!fs::exists(kData / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kData / folder)) {
      const bool is_damaged = entry.path().string().find("malformed") != std::string::npos;
      if (entry.is_regular_file() && !is_damaged && IsDatabase(entry)) databases.push_back(entry);
    }
  }
  if (databases.empty()) GTEST_SKIP() << "no collected databases beside the checkout";
  std::sort(databases.begin(), databases.end());
  const fs::path work =
      fs::temp_directory_path() / ("profgauge_shuffled_" + std::to_string(getpid()));
  for (const fs::path& database : databases) {
    SCOPED_TRACE(database);
    // Under one name, which ranks and titles may come from.
    const fs::path kept = work / "kept" / database.filename();
    const fs::path shuffled = work / "shuffled" / database.filename();
    fs::create_directories(kept.parent_path());
    fs::create_directories(shuffled.parent_path());
    fs::copy_file(database, kept, fs::copy_options::overwrite_existing);
    const fs::path before = fs::current_path();
    ASSERT_NO_FATAL_FAILURE(Shuffle(kept.string(), shuffled.string(), 7));
    fs::current_path(kept.parent_path());
    const std::string expected = ReportOf(kept.filename().string());
    fs::current_path(shuffled.parent_path());
    const std::string report = ReportOf(shuffled.filename().string());
    fs::current_path(before);
    EXPECT_EQ(Difference(expected, report), "");
  }
  fs::remove_all(work);
}

}  // namespace
}  // namespace profgauge
