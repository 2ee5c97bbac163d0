// Writes a Neuron device profile of any size, as neuron-profile's JSON: for measuring how the
// reader copes with gigabytes. Same arguments, same bytes.
//
//   make_neuron OUT.json INSTRUCTIONS
//
// An instruction with its share of DMA, semaphores and counters takes about 2.5 kB: 840 000 make 2
// GB.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace {

class File {
 public:
  explicit File(const char* path) : file_(std::fopen(path, "wb")) {}
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }
  bool open() const { return file_ != nullptr; }
  void Write(const std::string& text) {
    good_ = good_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  }
  bool good() const { return good_; }

 private:
  std::FILE* file_;
  bool good_ = true;
};

// A small generator, so that the bytes are the same everywhere.
class Random {
 public:
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::uint64_t Below(std::uint64_t limit) { return Next() % limit; }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15;
};

constexpr const char* kEngines[] = {"Tensor", "Vector", "Scalar", "GpSimd", "Sync"};
constexpr const char* kOpcodes[] = {"MATMUL", "TENSOR_TENSOR", "ACTIVATE", "TENSOR_LOAD",
                                    "EVENT_SEMAPHORE"};

std::string Instruction(std::int64_t i, Random& random) {
  const auto engine = static_cast<std::size_t>(i % 5);
  const auto layer = i / 5000;
  return fmt::format(
      R"J({{"id":{},"timestamp":{},"duration":{},"evt_wait_time":{},"subgroup":"{}","label":"{}",)J"
      R"J("opcode":"{}","operands":"S[{}] (qSyncIO{})>={} src=bf16@0x{:x}[1,0,0][128,1,1] )J"
      R"J(dst=fp32@0x{:x}[1,0,0][128,1,1] acc_flags=3","pc":{},"hlo_name":"%dot.{} = dot(%p0, %p1)",)J"
      R"J("hlo_attrs":"{{\"op_type\":\"dot\",\"source_file\":\"model/layer.py\",\"source_line\":{}}}",)J"
      R"J("layer":"Model/Layer[{}]/mm","fully_qualified_subgraph":"/sg00","instruction_type":"{}",)J"
      R"J("activation_fn":"","bir_id":"I-{}","raw_bir_id":{},"bir_instruction_name":"inst.{}",)J"
      R"J("penguin_id":"","raw_penguin_id":0,"crc_in":65535,"crc_out":65535,"elements":{},)J"
      R"J("hbm_read_bytes":{},"sbuf_read_bytes":4096,"sbuf_write_bytes":4096,"pcore_idx":0,)J"
      R"J("predecessors":[{{"id":{},"type":"FLOW_DEPENDENCE"}}]}})J",
      9'000'000'000'000'000'000 + i, i * 40, 20 + random.Below(60), random.Below(400),
      kEngines[engine], engine == 0 ? "TensorMatrix" : kEngines[engine], kOpcodes[engine], i % 32,
      i % 4, i % 16, random.Below(1 << 20), random.Below(1 << 20), i % 65536, layer, layer % 900,
      layer, engine == 0 ? "REGULAR" : "", i, i, i, engine == 0 ? 1 << 20 : 0, random.Below(4096),
      9'000'000'000'000'000'000 + (i > 0 ? i - 1 : 0));
}

std::string Packet(std::int64_t i, Random& random) {
  return fmt::format(
      R"J({{"id":{},"timestamp":{},"duration":{},"subgroup":"qSyncIO{}-Q1-E{}","dma_engine":"{}",)J"
      R"J("dma_queue":"1","queue_type":"{}","op":"copy","variable":"weight_{}","transfer_size":{},)J"
      R"J("read_size":2048,"write_size":2048,"transfer_rate":25229752000,"source":[["WEIGHT"]],)J"
      R"J("dest":["SB"],"semaphore_id":"S[{}] (qSyncIO{})","crc":16906,"aggregated":"no",)J"
      R"J("duplicate":"no","is_cc_dma":"no","packet_idx":{},"packet_aggregation_id":{},"block_id":0}})J",
      4'000'000'000'000'000'000 + i, i * 13, 10 + random.Below(80), i % 4, i % 16, i % 16,
      i % 3 == 0 ? "data" : "software_dynamic", i % 500, 512 + random.Below(4096), i % 32, i % 4,
      i % 64, 4'500'000'000'000'000'000 + i / 64);
}

template <class Row>
void Table(File& file, const char* name, std::int64_t rows, const Row& row) {
  file.Write(fmt::format(R"J(,"{}":[)J", name));
  for (std::int64_t i = 0; i < rows; ++i) file.Write((i > 0 ? "," : "") + row(i));
  file.Write("]");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || argv[1][0] == '-') {
    std::fputs("usage: make_neuron OUT.json INSTRUCTIONS\n", stderr);
    return 2;
  }
  const std::int64_t count = std::atoll(argv[2]);
  File file(argv[1]);
  if (!file.open()) return 1;
  Random random;
  file.Write(R"J({"neff_header":[{"uuid":"made"}])J");
  Table(file, "instruction", count, [&](std::int64_t i) { return Instruction(i, random); });
  Table(file, "dma", 3 * count, [&](std::int64_t i) { return Packet(i, random); });
  Table(file, "semaphore_update", 2 * count, [](std::int64_t i) {
    return fmt::format(R"J({{"id":"{}","timestamp":{},"value":{}}})J", i % 32, i * 20, i % 16);
  });
  Table(file, "dma_throughput", count, [](std::int64_t i) {
    return fmt::format(
        R"J({{"timestamp":{},"transfer_rate":{},"total_transfer_bytes":{},)J"
        R"J("hbm_transfer_rate":{},"hbm_total_transfer_bytes":0,"uses_hbm":"true"}})J",
        i * 40, i % 1000 * 1000000, i * 2048, i % 900 * 1000000);
  });
  file.Write(fmt::format(
      R"J(,"metadata":[{{"pe_num_rows":128,"pe_num_cols":128,"pe_clock_freq":2.8,"pe_clock_others":1.4,)J"
      R"J("hbm_ddr_bandwidth":410000000000,"first_hw_timestamp":0,"last_hw_timestamp":{0}}}],)J"
      R"J("summary":[{{"total_time":{1:.9f},"instance_type":"trn1.32xlarge"}}]}})J",
      count * 40, static_cast<double>(count) * 40e-9));
  return file.good() ? 0 : 1;
}
