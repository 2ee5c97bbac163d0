// Neuron's numbers on four real profiles, compared with those that another program computed from
// the same files (oracle/neuron): counts, FLOPs, bytes and waits exactly, active times within a
// nanosecond an instruction, which rows are cut to, ratios within 1e-6.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/analysis.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kShared = PROFGAUGE_SHARED_DIR;

json::value ReadNeuronOracle() {
  std::ifstream file(kShared / "oracle/neuron/expected.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.empty() ? json::value() : json::parse(text);
}

class NeuronOracle : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    oracle_ = ReadNeuronOracle();
    if (oracle_.is_null()) GTEST_SKIP() << "no shared data";
    expected_ = &oracle_.at(GetParam());
    auto run = readers::ReadRun({(kShared / "data/neuron" / GetParam()).string()}, {});
    ASSERT_TRUE(run) << run.error().message;
    run_ = std::move(*run);
    auto analysis = Analyze(run_, Selection{});
    ASSERT_TRUE(analysis) << analysis.error().message;
    analysis_ = std::move(*analysis);
  }

  double Number(const std::string& id) const {
    const Metric* metric = analysis_.Find(id);
    return metric == nullptr ? -2 : AsNumber(metric->value, -1);
  }
  // A time of the file's summary, in nanoseconds.
  double Stated(const std::string& name) const {
    return std::round(run_[0].neuron->SummaryNumber(name) * 1e9);
  }
  double Expected(std::string_view key) const { return expected_->at(key).to_number<double>(); }
  // Relative: a utilization of 1e-4 must be right to 1e-6 of itself.
  void ExpectRatio(const std::string& id, double expected) const {
    EXPECT_NEAR(Number(id) / expected, 1, 1e-6) << id;
  }

  json::value oracle_;
  const json::value* expected_ = nullptr;
  std::vector<Profile> run_;
  Analysis analysis_;
};

TEST_P(NeuronOracle, UtilizationsAndCounts) {
  ExpectRatio("neuron.mfu", Expected("mfu"));
  ExpectRatio("neuron.hfu", Expected("hfu"));
  ExpectRatio("neuron.mbu", Expected("mbu"));
  EXPECT_EQ(Number("neuron.total_time"), std::round(Expected("total_time_s") * 1e9));
  EXPECT_EQ(run_[0].neuron->instructions.size(), Expected("n_instruction"));
  EXPECT_EQ(Number("dma.packets"), Expected("n_dma_packets"));
  EXPECT_EQ(Number("dma.transfers"), Expected("n_dma_aggregated"));
  EXPECT_EQ(run_[0].neuron->dependencies.size(), Expected("edges"));
  // The file's own sum has the fractions of a nanosecond that its packets do not have.
  EXPECT_NEAR(Number("dma.active_time"), Expected("dma_active_ns_union_packets"),
              Expected("n_dma_packets"));
  EXPECT_EQ(Number("dma.active_time"), Stated("dma_active_time"));
}

// All four are captures of start-up: active for less than 1 % of their time.
TEST_P(NeuronOracle, EmptyCapturesSharesAreUncertain) {
  EXPECT_LT(Number("neuron.active_share"), 0.01);
  for (const char* id : {"neuron.mfu", "neuron.hfu", "neuron.mbu", "gpu.idle.mean", "gpu.idle.max",
                         "gpu.utilization.mean", "gpu.utilization.min"}) {
    const Metric* metric = analysis_.Find(id);
    EXPECT_TRUE(metric->low_confidence) << id;
    EXPECT_NE(metric->note.find("is almost empty"), std::string::npos) << id;
  }
  EXPECT_FALSE(analysis_.Find("neuron.active_share")->low_confidence);
}

TEST_P(NeuronOracle, Engines) {
  for (const auto& [name, value] : expected_->at("engine").as_object()) {
    const std::string id = "engine." + std::string(name) + ".";
    SCOPED_TRACE(id);
    EXPECT_EQ(Number(id + "instructions"), value.at("instructions").to_number<double>());
    EXPECT_EQ(Number(id + "wait_time"), value.at("evt_wait_sum_ns").to_number<double>());
    EXPECT_NEAR(Number(id + "active_time"),
                value.at("active_ns_active_time_table").to_number<double>(),
                Number(id + "instructions"));
    EXPECT_NEAR(Number(id + "active_time"),
                value.at("active_ns_union_excl_EVENT_SEMAPHORE").to_number<double>(),
                Number(id + "instructions"));
    EXPECT_EQ(Number(id + "active_time"), Stated(std::string(name) + "_engine_active_time"));
    // The mistake to avoid: with semaphore waits an engine seems active up to 4000 times as long.
    EXPECT_LT(Number(id + "active_time"), value.at("naive_union_ns_WRONG").to_number<double>());
  }
}

TEST_P(NeuronOracle, OpcodeTimes) {
  const Table* table = analysis_.FindTable("opcodes");
  for (const auto& [name, value] : expected_->at("engine").as_object()) {
    for (const auto& pair : value.at("top_opcode_ns_excl_sem").as_array()) {
      const std::string opcode(pair.at(0).as_string());
      bool found = false;
      for (std::size_t row = 0; row < table->rows(); ++row) {
        if (table->At(row, "engine") != Value(std::string(name))) continue;
        if (table->At(row, "opcode") != Value(opcode)) continue;
        found = true;
        EXPECT_EQ(AsNumber(table->At(row, "instruction_time"), -1), pair.at(1).to_number<double>())
            << name << " " << opcode;
      }
      EXPECT_TRUE(found) << opcode;
    }
  }
}

TEST_P(NeuronOracle, DmaBytesByQueueType) {
  std::map<std::string, double> bytes;
  const Table* table = analysis_.FindTable("dma_queues");
  for (std::size_t row = 0; row < table->rows(); ++row) {
    bytes[std::get<std::string>(table->At(row, "type"))] += AsNumber(table->At(row, "bytes"), 0);
  }
  for (const auto& [type, value] : expected_->at("dma_bytes_by_queue_type").as_object()) {
    EXPECT_EQ(bytes[std::string(type)], value.to_number<double>()) << type;
  }
}

TEST_P(NeuronOracle, LayersAndThrottling) {
  const Table* table = analysis_.FindTable("layers");
  for (const auto& layer : expected_->at("layers").as_array()) {
    bool found = false;
    for (std::size_t row = 0; row < table->rows(); ++row) {
      if (table->At(row, "path") != Value(std::string(layer.at(0).as_string()))) continue;
      found = true;
      EXPECT_EQ(AsNumber(table->At(row, "start"), -1), layer.at(1).to_number<double>());
      // Start and duration are cut to whole nanoseconds each, so that their sum may miss one.
      EXPECT_NEAR(AsNumber(table->At(row, "start"), 0) + AsNumber(table->At(row, "duration"), 0),
                  layer.at(2).to_number<double>(), 1);
      EXPECT_NEAR(AsNumber(table->At(row, "hfu"), -1) / layer.at(3).to_number<double>(), 1, 1e-6);
    }
    EXPECT_TRUE(found);
  }
  const json::value& throttle = expected_->at("throttle");
  EXPECT_EQ(Number("throttle.limited_time"), throttle.at("limited_ns(k<n)").to_number<double>());
  ExpectRatio("throttle.utilization_limit",
              throttle.at("weighted_limit_over_covered").to_number<double>());
}

// Rows and summary of a real file agree on everything that they both say.
TEST_P(NeuronOracle, IdentitiesHold) {
  const profgauge::neuron::Data& data = *run_[0].neuron;
  const auto identities = profgauge::neuron::CheckIdentities(data);
  EXPECT_GE(identities.size(), 35u);
  for (const profgauge::neuron::Identity& identity : identities) {
    EXPECT_TRUE(identity.holds) << identity.name << " " << identity.computed << " "
                                << identity.stated;
  }
  EXPECT_EQ(run_[0].log[Counter::identities_broken], 0u);
}

// The runtime sets the order of the engines back after the execution's end (total_time): eight
// instructions on every sample. The viewer counts them, and so do active times; the iteration,
// which is the execution, ends before them, and its parts with it.
TEST_P(NeuronOracle, LateInstructionsAreOfNoIteration) {
  const profgauge::neuron::Data& data = *run_[0].neuron;
  Ns behind = 0;
  std::int64_t count = 0;
  for (const profgauge::neuron::Instruction& instruction : data.instructions) {
    if (instruction.start < data.total_time) continue;
    ++count;
    behind += instruction.duration;
    EXPECT_EQ(run_[0].Name(instruction.opcode), "SET_ORDERING_MODE");
  }
  EXPECT_EQ(count, 8);
  const double outside = Number("neuron.active_time") - Number("breakdown.other_kernel.time") -
                         Number("breakdown.memcpy.time");
  EXPECT_GT(outside, 0);
  // With the fractions of nanoseconds that rows do not have.
  EXPECT_LE(outside, static_cast<double>(behind) + 40);
}

// Starts and durations in the file are cut to whole nanoseconds, the viewer's sums have fractions:
// of some seventy spans each loses half of one.
TEST_P(NeuronOracle, ActiveTimeKeepsFractions) {
  EXPECT_EQ(Number("neuron.active_time"), Stated("total_active_time"));
  const Ns of_rows =
      profgauge::neuron::Summarize(*run_[0].neuron, profgauge::neuron::WholeWindow(*run_[0].neuron))
          .active;
  EXPECT_LT(static_cast<double>(of_rows), Number("neuron.active_time"));
  EXPECT_GT(static_cast<double>(of_rows), Number("neuron.active_time") - 40);
}

// A range from start to end is the whole.
TEST_P(NeuronOracle, WholeRangeEqualsTheWhole) {
  Selection selection;
  selection.range = Span{0, run_[0].last + 1};
  const auto part = Analyze(run_, selection);
  ASSERT_TRUE(part);
  for (const char* id : {"engine.tensor.active_time", "engine.scalar.instructions", "dma.bytes",
                         "dma.active_time", "neuron.hardware_flops", "hbm.read_bytes"}) {
    // The numbers of a part of a capture are summed up from rows.
    const bool is_time = std::string_view(id).ends_with("_time");
    EXPECT_NEAR(AsNumber(part->Find(id)->value, -1), Number(id), is_time ? 40 : 0) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, NeuronOracle,
                         testing::Values("profile_128x128x1024.json", "profile_128x128x512.json",
                                         "profile_bucketed_128x128x128.json",
                                         "profile_bucketed_128x128x2048.json"),
                         [](const auto& sample) {
                           return sample.param.substr(0, sample.param.find('.'));
                         });

}  // namespace
}  // namespace profgauge::analysis
