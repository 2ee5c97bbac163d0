// Data that a Neuron file has twice, rows and summary, and the parsed parts of each of its tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"
#include "readers/load.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/neuron/tables.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Slurp(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The fixture whose rows and summary agree in everything.
json::object Consistent() {
  const std::string text = Slurp(PROFGAUGE_CASES_DIR "/neuron/trn3_fp8/input.json");
  return json::parse(text).as_object();
}

Result<std::vector<Profile>> ReadAll(const std::string& text) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  return readers::MakeNeuronReader()->ReadRanks(*source, {});
}

Profile ReadDocument(const json::object& document) {
  auto profiles = ReadAll(json::serialize(document));
  EXPECT_TRUE(profiles) << profiles.error().message;
  return profiles ? std::move(profiles->front()) : Profile{};
}

std::vector<std::string> Broken(const Profile& profile) {
  std::vector<std::string> names;
  for (const auto& identity : profgauge::neuron::CheckIdentities(*profile.neuron)) {
    if (!identity.holds) names.push_back(identity.name);
  }
  return names;
}

json::object& SummaryOf(json::object& document) {
  return document.at("summary").as_array().at(0).as_object();
}

TEST(NeuronIdentities, HoldInAConsistentFile) {
  const Profile profile = ReadDocument(Consistent());
  EXPECT_THAT(Broken(profile), ElementsAre());
  EXPECT_EQ(profile.log[Counter::identities_broken], 0);
  EXPECT_GE(profgauge::neuron::CheckIdentities(*profile.neuron).size(), 48);
}

// The reader sums up beside other work; it keeps the sums of the finished rows.
TEST(NeuronIdentities, KeptLikeTheRows) {
  const Profile profile = ReadDocument(Consistent());
  ASSERT_NE(profile.neuron->whole, nullptr);
  EXPECT_EQ(profgauge::neuron::SumWhole(*profile.neuron), profile.neuron->whole);
  profgauge::neuron::Data fresh = *profile.neuron;
  fresh.whole = nullptr;
  const auto again = profgauge::neuron::SumWhole(fresh);
  const auto& kept = profile.neuron->whole->identities;
  ASSERT_EQ(again->identities.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(again->identities[i].name, kept[i].name);
    EXPECT_EQ(again->identities[i].computed, kept[i].computed) << kept[i].name;
  }
  EXPECT_EQ(again->sums.tensor_dma_wait, profile.neuron->whole->sums.tensor_dma_wait);
  EXPECT_EQ(again->sums.matmuls, profile.neuron->whole->sums.matmuls);
}

// Each number of the summary that rows confirm, one after the other, is off by a tenth: exactly it
// is reported. Numbers of which others follow take them along.
TEST(NeuronIdentities, EachDeviationIsReported) {
  const Profile whole = ReadDocument(Consistent());
  std::size_t tried = 0;
  for (const auto& identity : profgauge::neuron::CheckIdentities(*whole.neuron)) {
    if (identity.name.starts_with("active_time table")) continue;
    SCOPED_TRACE(identity.name);
    json::object document = Consistent();
    json::value& number = SummaryOf(document).at(identity.name);
    const double stated = number.to_number<double>();
    ASSERT_GT(stated, 0);
    number = stated * 1.1;
    const Profile profile = ReadDocument(document);
    const auto broken = Broken(profile);
    EXPECT_THAT(broken, ::testing::Contains(identity.name));
    // Shares of the total time, of the peak, and of a model's FLOPs.
    if (identity.name != "total_time") {
      EXPECT_EQ(broken.size(), 1);
    }
    EXPECT_EQ(profile.log[Counter::identities_broken], broken.size());
    EXPECT_THAT(profile.log.Examples(Counter::identities_broken).front(), HasSubstr("summary"));
    ++tried;
  }
  EXPECT_GE(tried, 43);
}

TEST(NeuronIdentities, ChecksTableOfActiveTimes) {
  for (const char* engine : {"tensor", "vector", "scalar", "gpsimd", "sync"}) {
    json::object document = Consistent();
    json::array& rows = document.at("active_time").as_array();
    rows.push_back({{"engine", engine},
                    {"start_ts", 18'000},
                    {"end_ts", 19'000},
                    {"duration_ns", 1'000},
                    {"pcore_idx", 0}});
    EXPECT_THAT(Broken(ReadDocument(document)),
                ElementsAre(std::string("active_time table, ") + engine));
  }
}

// A row less, and the sums that it was part of no longer hold.
TEST(NeuronIdentities, ALostRowIsNoticed) {
  json::object document = Consistent();
  json::array& rows = document.at("dma").as_array();
  rows.erase(rows.begin());
  const auto broken = Broken(ReadDocument(document));
  EXPECT_THAT(broken, ::testing::Contains("hardware_dynamic_dma_packet_count"));
  EXPECT_THAT(broken, ::testing::Contains("hardware_dynamic_dma_size"));
  EXPECT_THAT(broken, ::testing::Contains("dma_packet_time"));
}

// The summary counts a row of each that the file does not have.
TEST(NeuronIdentities, FewerRowsThanSummaryAreLost) {
  EXPECT_FALSE(ReadDocument(Consistent()).log.HasDataLoss());
  for (const char* count :
       {"tensor_engine_instruction_count", "sync_engine_instruction_count",
        "static_dma_packet_count", "hardware_dynamic_dma_packet_count", "cc_op_count"}) {
    SCOPED_TRACE(count);
    json::object document = Consistent();
    json::value& number = SummaryOf(document).at(count);
    const auto stated = number.to_number<std::int64_t>();
    number = stated + 8;
    const Profile profile = ReadDocument(document);
    EXPECT_THAT(profile.log.Examples(Counter::events_dropped),
                ElementsAre(std::string(count) + ": " + std::to_string(stated) + " rows of " +
                            std::to_string(stated + 8)));
    EXPECT_TRUE(profile.log.HasDataLoss());
    // One at the edge of a capture; more rows than counted; a count of one class of opcodes.
    SummaryOf(document).at(count) = stated + 1;
    EXPECT_FALSE(ReadDocument(document).log.HasDataLoss());
    SummaryOf(document).at(count) = 0;
    SummaryOf(document).at("matmul_instruction_count") = 1000;
    EXPECT_FALSE(ReadDocument(document).log.HasDataLoss());
  }
}

TEST(NeuronIdentities, EmptyActiveTimesAreMissing) {
  json::object document = Consistent();
  document.at("active_time").as_array().clear();
  EXPECT_THAT(Broken(ReadDocument(document)), ElementsAre());
}

TEST(NeuronReader, RefusesCutTablesAndSecondHeads) {
  const std::string table =
      "start_ts,duration_ns,engine,pcore_idx,opcode,operands,id,evt_wait_time_ns\n"
      "0,500,Vector,0,ADD,,3,400\n";
  ASSERT_TRUE(ReadAll(table));
  ASSERT_TRUE(ReadAll(table.substr(0, table.size() - 1)));
  EXPECT_EQ(ReadAll(table + "600,50").error().code, "neuron/truncated");
  EXPECT_EQ(ReadAll(table + table).error().code, "csv/joined");
  EXPECT_EQ(ReadAll(table + std::string(std::size_t{17} << 20, 'x')).error().code,
            "csv/row-too-long");
}

TEST(NeuronReader, QuotedTableAfterByteOrderMark) {
  const auto marked = ReadAll(
      "\xEF\xBB\xBF\"start_ts\",duration_ns,engine,pcore_idx,opcode,operands,id,evt_wait_time_ns\n"
      "0,500,Vector,0,\"ADD\",,3,400\n");
  ASSERT_TRUE(marked) << marked.error().message;
  EXPECT_EQ(marked->front().device.size(), 1u);
}

TEST(NeuronReader, AByteOrderMarkIsNoText) {
  const std::string mark = "\xEF\xBB\xBF", text = json::serialize(Consistent());
  const auto plain = ReadAll(text), marked = ReadAll(mark + text);
  ASSERT_TRUE(plain && marked) << marked.error().message;
  EXPECT_EQ(marked->front().device.size(), plain->front().device.size());
  // Places count from the file's first byte.
  const std::string broken = text.substr(0, text.size() - 1) + "]";
  EXPECT_EQ(ReadAll(mark + broken).error().where.offset,
            ReadAll(broken).error().where.offset + mark.size());
}

TEST(NeuronReader, EverySummaryOfAFileIsARank) {
  const auto profiles = ReadAll(
      R"({"n_b": {"total_time": 0.002, "nd_idx": 0, "nc_idx": 1, "mfu_estimated_percent": 0.2},
          "n_c": {"total_time": 0.003, "nd_idx": 1, "nc_idx": 0, "mfu_estimated_percent": 0.3},
          "n_a": {"total_time": 0.001, "nd_idx": 0, "nc_idx": 0, "mfu_estimated_percent": 0.1}})");
  ASSERT_TRUE(profiles) << profiles.error().message;
  std::vector<double> shares;
  for (const Profile& profile : *profiles) {
    shares.push_back(profile.neuron->SummaryNumber("mfu_estimated_percent"));
  }
  EXPECT_THAT(shares, ElementsAre(0.1, 0.2, 0.3));  // By device and core, whatever their order.
}

// The last line is not lost in silence.
TEST(NeuronReader, RefusesLongSummaryText) {
  std::string text = "total_time   0.0018\nneuroncore_cycle_count   2520000\n";
  while (text.size() < 900'000) text += "some_metric_of_no_one   17\n";
  const auto read = ReadAll(text + "mfu_estimated_percent   0.25\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().neuron->SummaryNumber("mfu_estimated_percent"), 0.25);
  while (text.size() < 1'200'000) text += "some_metric_of_no_one   17\n";
  const auto refused = ReadAll(text + "mfu_estimated_percent   0.25\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "neuron/too-large");
}

TEST(NeuronReader, RowsBelongToTheFirstSummary) {
  json::object document = Consistent();
  json::array& rows = document.at("summary").as_array();
  rows.push_back({{"total_time", 0.5}, {"nd_idx", 3}, {"nc_idx", 7}});
  const auto profiles = ReadAll(json::serialize(document));
  ASSERT_TRUE(profiles) << profiles.error().message;
  ASSERT_EQ(profiles->size(), 1);
  EXPECT_EQ(profiles->front().neuron->SummaryNumber("total_time"), 20e-6);
  EXPECT_EQ(profiles->front().log[Counter::summaries_unused], 1);
}

// Without the file's word on its hardware, AWS's pages are in, and it is marked.
TEST(NeuronReader, TakesMissingHardwareFromTable) {
  json::object document = Consistent();
  json::object& metadata = document.at("metadata").as_array().at(0).as_object();
  for (const char* key : {"pe_num_rows", "pe_clock_freq", "hbm_ddr_bandwidth"}) metadata.erase(key);
  const Profile profile = ReadDocument(document);
  const profgauge::neuron::Hardware& hardware = profile.neuron->hardware;
  EXPECT_TRUE(hardware.by_table);
  EXPECT_NEAR(hardware.PeakFlops(), 78.6e12, 0.1e12);
  EXPECT_EQ(hardware.hbm_bandwidth, 1225e9);
  SummaryOf(document).at("instance_type") = "new9.large";
  EXPECT_LT(ReadDocument(document).neuron->hardware.PeakFlops(), 0);
}

TEST(NeuronReader, FlopsCostByTypeAndGeneration) {
  using enum profgauge::neuron::NumberType;
  constexpr auto kTrn1 = profgauge::neuron::Generation::kTrn1,
                 kTrn2 = profgauge::neuron::Generation::kTrn2,
                 kTrn3 = profgauge::neuron::Generation::kTrn3;
  EXPECT_EQ(profgauge::neuron::CostInBf16(kHalf, kTrn2), 1);
  EXPECT_EQ(profgauge::neuron::CostInBf16(kFp32, kTrn1), 4);
  EXPECT_EQ(profgauge::neuron::CostInBf16(kFp8, kTrn1), 1);
  EXPECT_EQ(profgauge::neuron::CostInBf16(kFp8, kTrn2), 0.5);
  EXPECT_EQ(profgauge::neuron::CostInBf16(kUint8, kTrn3), 0.5);
  EXPECT_EQ(profgauge::neuron::CostInBf16(kMx, kTrn3), 0.25);
  EXPECT_EQ(profgauge::neuron::NumberTypeOf("FP8e4"), kFp8);
  EXPECT_EQ(profgauge::neuron::NumberTypeOf("int4"), kUnstated);
  EXPECT_EQ(profgauge::neuron::GenerationOf("trn1n.32xlarge"), kTrn1);
  EXPECT_EQ(profgauge::neuron::GenerationOf("inf2.xlarge"), kTrn1);
  EXPECT_EQ(profgauge::neuron::GenerationOf("p5.48xlarge"), profgauge::neuron::Generation::kOther);
  // The fixture: FP8 matmuls at half, transposes in BF16 in full; then a type that is unknown.
  json::object document = Consistent();
  std::int64_t adjusted = 0;
  const Profile profile = ReadDocument(document);
  for (const auto& row : profile.neuron->instructions) adjusted += row.adjusted_flops;
  EXPECT_EQ(adjusted, (std::int64_t{1} << 29) + (std::int64_t{1} << 26));
  EXPECT_TRUE(profile.neuron->adjusted_by_table);
  for (auto& row : document.at("instruction").as_array()) {
    if (row.at("opcode") == "MATMUL") row.as_object()["operands"] = "src=int4@0x0";
  }
  const Profile unknown = ReadDocument(document);
  EXPECT_FALSE(unknown.neuron->adjusted_by_table);
  EXPECT_EQ(unknown.neuron->instructions.front().adjusted_flops, profgauge::neuron::kUnknown);
}

// Memory is bounded: of very many different operands only awaited ones are kept.
// Else sums would leave 64 bits.
TEST(NeuronReader, HugeNumbersCountAsMissing) {
  json::object document = Consistent();
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() - 1;
  for (json::value& row : document.at("instruction").as_array()) {
    for (const char* key : {"hbm_write_bytes", "raw_flops", "elements"})
      row.as_object()[key] = kFar;
  }
  document["active_time"] = json::array{{{"timestamp", std::numeric_limits<std::int64_t>::min()},
                                         {"end", kFar},
                                         {"engine", "Tensor"}}};
  const Profile profile = ReadDocument(document);
  ASSERT_TRUE(profile.neuron);
  ASSERT_FALSE(profile.neuron->instructions.empty());
  for (const profgauge::neuron::Instruction& row : profile.neuron->instructions) {
    EXPECT_EQ(row.traffic.hbm_write, 0);
    EXPECT_EQ(row.flops, 0);
  }
}

TEST(NeuronReader, KeepsSemaphoreOfLongOperands) {
  std::string text = R"({"summary":[{"total_time":0.1}],"instruction":[)";
  const std::string padding(3000, 'x');
  constexpr int kRows = 12'000;  // 36 MB of operands.
  for (int i = 0; i < kRows; ++i) {
    text += (i > 0 ? "," : "") + std::string(R"({"id":)") + std::to_string(i + 1) +
            R"(,"timestamp":)" + std::to_string(i * 10) +
            R"(,"duration":5,"evt_wait_time":3,"subgroup":"Tensor","opcode":"LDWEIGHTS",)" +
            R"("operands":"S[24] (qSyncIO)>=16 src=bf16@)" + padding + std::to_string(i) + "\"}";
  }
  const auto profiles = ReadAll(text + "]}");
  ASSERT_TRUE(profiles) << profiles.error().message;
  const Profile& profile = profiles->front();
  EXPECT_GT(profile.log[Counter::operands_dropped], 100);
  EXPECT_LT(profile.log[Counter::operands_dropped], kRows / 2);
  const auto& last = profile.neuron->instructions.back();
  EXPECT_EQ(profile.Name(last.operands), "S[24] (qSyncIO)>=16");
  EXPECT_EQ(profgauge::neuron::WaitedSemaphore(profile.Name(last.operands)), "S[24] (qSyncIO)");
  EXPECT_GT(profile.Name(profile.neuron->instructions.front().operands).size(), 3000);
}

// Captures of a folder by their core: those of one core are of two programs.
TEST(NeuronFolder, SingleCoreCapturesAreNoRanks) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("neuron_folder_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto write = [&](const char* name, int core, int flops) {
    json::object document = Consistent();
    SummaryOf(document)["nd_idx"] = 0;
    SummaryOf(document)["nc_idx"] = core;
    SummaryOf(document)["model_flops"] = flops;
    std::ofstream(folder / name) << json::serialize(document);
  };
  write("a.json", 0, 1000);
  write("b.json", 1, 2000);
  const auto ranks = LoadRun({folder.string()}, {});
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_EQ(ranks->profiles.size(), 2u);
  write("b.json", 0, 2000);
  const auto programs = LoadRun({folder.string()}, {});
  ASSERT_FALSE(programs);
  EXPECT_EQ(programs.error().code, "input/several-runs");
  EXPECT_THAT(programs.error().notes.front(), HasSubstr("both record core 0 of device 0"));
  fs::remove_all(folder);
}

// Every table of schema 7.4.0 is read, or named to the user, or a header without numbers.
TEST(NeuronTables, KnowsEveryTableOfTheSchema) {
  std::ifstream schema(std::string(PROFGAUGE_SHARED_DIR) +
                       "/formats/neuron-parquet-schema-7.4.0.tsv");
  if (!schema) GTEST_SKIP() << "no shared data";
  // Enumerations, and answers of the viewer's server that are in no file.
  const std::set<std::string> no_tables = {"DmaQueueType",
                                           "ErrorType",
                                           "MemoryBandwidthDirection",
                                           "MemoryBandwidthPoint",
                                           "PerformanceMode",
                                           "MemoryBandwidthResponse",
                                           "MemoryBandwidthSeries",
                                           "Enums"};
  int tables = 0;
  for (std::string line; std::getline(schema, line);) {
    if (!line.starts_with("## ")) continue;
    const std::string name = line.substr(3);
    if (no_tables.contains(name)) continue;
    ++tables;
    EXPECT_NE(readers::neuron::TableKindOf(name), readers::neuron::TableKind::kUnknown) << name;
  }
  EXPECT_GE(tables, 45);
}

}  // namespace
}  // namespace profgauge::readers
