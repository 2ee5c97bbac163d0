// Every number and text of an input that may refer to something, set to an unused value: out of
// range, negative, huge, of another type, missing. The inputs are the cases of each format. Such a
// file is read and analyzed, as far as it goes, or refused as an input; the program never ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/sqlite.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kFolderOfCases = PROFGAUGE_CASES_DIR;

std::string TextOfCase(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class BrokenReferences : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("references_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Reads and analyzes the written file; `what` names its broken part.
  void Try(const fs::path& path, const std::string& what) {
    ++tried_;
    SCOPED_TRACE(what);
    readers::ReadOptions options;
    options.allow_incomplete = true;
    const auto run = readers::ReadRun({path.string()}, options);
    if (!run) {
      EXPECT_EQ(run.error().kind, ErrorKind::kInput) << run.error().message;
      return;
    }
    ++read_;
    const auto analysis = Analyze(*run, {});
    EXPECT_TRUE(analysis || analysis.error().kind != ErrorKind::kInternal);
  }

  fs::path folder_;
  int tried_ = 0, read_ = 0;
};

// Numbers as SQL writes them.
constexpr const char* kStoredValues[] = {"null", "-1", "9223372036854775807", "'x'"};

class BrokenDatabase : public BrokenReferences, public testing::WithParamInterface<const char*> {};

TEST_P(BrokenDatabase, IsReadOrRefused) {
  const fs::path whole = folder_ / "whole.sqlite", path = folder_ / "broken.sqlite";
  std::vector<std::pair<std::string, std::string>> columns;
  {
    auto database =
        sqlite::Database::Open(whole.string(), sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->Execute(TextOfCase(kFolderOfCases / GetParam())));
    auto query = database->Prepare(
        "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c "
        "where m.type = 'table' and m.name not like 'sqlite%' order by 1, 2");
    ASSERT_TRUE(query);
    while (query->Step().value_or(false)) {
      columns.emplace_back(query->Text(0), query->Text(1));
    }
  }
  for (const auto& [table, column] : columns) {
    for (const char* value : kStoredValues) {
      fs::copy_file(whole, path, fs::copy_options::overwrite_existing);
      const std::string sql = "pragma synchronous = off; update or ignore \"" + table +
                              "\" set \"" + column + "\" = " + value;
      {
        auto database =
            sqlite::Database::Open(path.string(), sqlite::Mode::kReadWrite, ErrorKind::kInternal);
        // A value that a constraint of the table forbids is in no file.
        if (!database || !database->Execute(sql)) continue;
      }
      Try(path, sql);
    }
  }
  EXPECT_GT(read_, tried_ / 4) << "of " << tried_;
}

INSTANTIATE_TEST_SUITE_P(Cases, BrokenDatabase,
                         testing::Values("dlprof/aggregation/input.sql",
                                         "nvprof/training/input.sql",
                                         "nsight_systems/operating_system/input.sql",
                                         "nsight_systems/graphs_recorded_whole/input.sql",
                                         "rocpd/steps/input.sql"));

constexpr std::size_t kRowsOfAList = 3;

// Calls `use` with each value that holds no other; of a list only of the first, which the others
// are like.
void ForEachLeaf(json::value& value, const std::string& key,
                 const std::function<void(json::value&, const std::string&)>& use) {
  if (auto* object = value.if_object()) {
    for (auto& [name, inner] : *object) ForEachLeaf(inner, std::string(name), use);
  } else if (auto* array = value.if_array()) {
    const std::size_t count = std::min(array->size(), kRowsOfAList);
    for (std::size_t i = 0; i < count; ++i) ForEachLeaf((*array)[i], key, use);
  } else {
    use(value, key);
  }
}

class BrokenJson : public BrokenReferences, public testing::WithParamInterface<const char*> {};

TEST_P(BrokenJson, IsReadOrRefused) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const json::value kWritten[] = {nullptr, -1, kMost, 1e300, "x"};
  const fs::path path = folder_ / "broken.json";
  json::value whole = json::parse(TextOfCase(kFolderOfCases / GetParam()));
  ForEachLeaf(whole, "", [&](json::value& leaf, const std::string& key) {
    const json::value was = leaf;
    for (const json::value& value : kWritten) {
      leaf = value;
      std::ofstream(path, std::ios::binary | std::ios::trunc) << json::serialize(whole);
      Try(path, key + " " + json::serialize(was) + " as " + json::serialize(value));
    }
    leaf = was;
  });
  EXPECT_GT(read_, tried_ / 4) << "of " << tried_;
}

INSTANTIATE_TEST_SUITE_P(Cases, BrokenJson,
                         testing::Values("ascend/step/input.json", "kineto/backward/input.json",
                                         "kineto/nested_ops/input.json",
                                         "kineto/collective/input.json",
                                         "neuron/layers_without_name/input.json",
                                         "neuron/trn2_two_cores/input.json",
                                         "rocprofv3/steps/input.json", "xla/two_steps/input.json"));

// Modules that contain each other or themselves, and one id twice.
TEST_F(BrokenReferences, ParentsMayBeACircle) {
  const auto module = [](int id, std::int64_t parent, std::int64_t number) {
    return json::object{{"ph", "X"},
                        {"cat", "python_function"},
                        {"name", "nn.Module: A_0"},
                        {"pid", 1},
                        {"tid", 1},
                        {"ts", 0},
                        {"dur", 9},
                        {"args", json::object{{"Python id", id},
                                              {"Python parent id", parent},
                                              {"Python module id", number}}}};
  };
  json::value trace = json::parse(TextOfCase(kFolderOfCases / "kineto/one_kernel/input.json"));
  json::array& events = trace.at("traceEvents").as_array();
  events.push_back(module(1, 2, 0));
  events.push_back(module(2, 1, 0));
  events.push_back(module(3, 3, 1));
  events.push_back(module(3, std::numeric_limits<std::int64_t>::max(), -1));
  const fs::path path = folder_ / "circle.json";
  std::ofstream(path, std::ios::binary) << json::serialize(trace);
  Try(path, "circle");
  EXPECT_EQ(read_, 1);
}

}  // namespace
}  // namespace profgauge::analysis
