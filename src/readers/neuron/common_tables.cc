// Converts Neuron's tables to the tables that all formats share.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/permute.h"
#include "model/profile_builder.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {
namespace {

// Numbers of a NeuronCore's streams: first two per engine (its instructions; the Tensor Engine's
// matmuls, which overlap by design), then one for collectives, then one per DMA engine.
constexpr std::int64_t kOtherStream = 2 * static_cast<std::int64_t>(profgauge::neuron::kEngines);
constexpr std::int64_t kCollectiveStream = kOtherStream + 1;
constexpr std::int64_t kDmaStream = 16;

constexpr std::string_view kTracks[] = {"Tensor", "Vector", "Scalar", "GpSimd", "Sync"};

/// Combines core and stream of a row into one number, which sorts by core first.
constexpr std::int64_t KeyOfStream(std::int32_t core, std::int64_t stream) {
  return std::int64_t{core} * (1 << 16) + stream;
}

/// The track of matmuls, if instructions name it. neuron-profile puts matmuls on a separate track,
/// because they overlap with the loading of weights on the same engine.
StringId MatrixTrack(const std::vector<profgauge::neuron::Instruction>& rows,
                     const ProfileBuilder& builder) {
  StringId other;  // The last track seen; names are compared only if the track changes.
  for (const profgauge::neuron::Instruction& row : rows) {
    if (row.engine != profgauge::neuron::Engine::kTensor || row.track == other) continue;
    if (builder.Name(row.track) == "TensorMatrix") return row.track;
    other = row.track;
  }
  return {};
}

std::int64_t StreamOf(const profgauge::neuron::Instruction& row, StringId matrix) {
  if (row.engine == profgauge::neuron::Engine::kOther) return kOtherStream;
  const bool is_matrix = matrix.valid() && row.track == matrix;
  return 2 * static_cast<std::int64_t>(row.engine) + (is_matrix ? 1 : 0);
}

std::string NameOf(const profgauge::neuron::Instruction& row, StringId matrix) {
  if (row.engine == profgauge::neuron::Engine::kOther) return "Other engines";
  const bool is_matrix = matrix.valid() && row.track == matrix;
  return is_matrix ? "Tensor (matmuls)"
                   : std::string(kTracks[static_cast<std::size_t>(row.engine)]);
}

// Adds rows stream by stream, as in the finished table, so that no sorting is needed.

void FillInstructions(const profgauge::neuron::Data& data, ProfileBuilder& builder) {
  const auto& rows = data.instructions;
  const StringId matrix = MatrixTrack(rows, builder);
  const Permutation order = GroupedRows(rows.size(), [&](std::uint32_t i) {
    return KeyOfStream(rows[i].core, StreamOf(rows[i], matrix));
  });
  std::int64_t last = -1;
  DeviceBatch batch;
  for (const std::uint32_t i : order) {
    const profgauge::neuron::Instruction& row = rows[i];
    if (row.semaphore) continue;  // The engine waits here.
    DeviceRow work;
    work.start = row.start;
    work.duration = row.duration;
    work.name = row.opcode.valid() ? row.opcode : builder.Intern("instruction");
    work.gpu = row.core;
    work.stream = StreamOf(row, matrix);
    batch.Add(work, builder);
    const std::int64_t key = KeyOfStream(work.gpu, work.stream);
    if (key != last) builder.NameStream(work.gpu, work.stream, NameOf(row, matrix));
    last = key;
  }
  batch.Flush(builder);
}

void FillDma(const profgauge::neuron::Data& data, ProfileBuilder& builder) {
  const StringId unnamed = builder.Intern("DMA");
  const bool has_bytes = std::ranges::none_of(
      data.missing_columns, [](const profgauge::neuron::MissingColumn& column) {
        return column.part == profgauge::neuron::Part::kPacketBytes;
      });
  const auto& rows = data.packets;
  const Permutation order = GroupedRows(rows.size(), [&](std::uint32_t i) {
    return KeyOfStream(rows[i].core, kDmaStream + rows[i].dma_engine);
  });
  std::int64_t last = -1;
  DeviceBatch batch;
  for (const std::uint32_t i : order) {
    const profgauge::neuron::Dma& row = rows[i];
    const std::int64_t stream = kDmaStream + row.dma_engine;
    DeviceRow copy;
    copy.start = row.start;
    copy.duration = row.duration;
    copy.name = row.queue.valid() ? row.queue : unnamed;
    copy.kind = DeviceKind::kMemcpy;
    copy.gpu = row.core;
    copy.stream = stream;
    copy.copy = CopyKind::kDeviceToDevice;
    copy.bytes = has_bytes ? row.bytes : profgauge::neuron::kUnknown;
    batch.Add(copy, builder);
    const std::int64_t key = KeyOfStream(row.core, stream);
    if (key != last) {
      builder.NameStream(
          row.core, stream,
          row.dma_engine < 0 ? std::string("DMA") : fmt::format("DMA engine {}", row.dma_engine));
    }
    last = key;
  }
  batch.Flush(builder);
}

void FillCollectives(const profgauge::neuron::Data& data, ProfileBuilder& builder) {
  for (const profgauge::neuron::CcOp& row : data.cc_ops) {
    Collective collective;
    collective.name = row.operation;
    collective.dtype = row.dtype;
    collective.group = row.group;
    collective.in_elements = row.elements;
    collective.out_elements = row.elements;
    DeviceRow work;
    work.start = row.start;
    work.duration = row.duration;
    work.name = row.operation.valid() ? row.operation : builder.Intern("collective");
    work.gpu = 0;
    work.stream = kCollectiveStream;
    work.collective = builder.AddCollective(collective);
    builder.AddDevice(work);
    builder.NameStream(0, kCollectiveStream, "Collectives");
  }
}

}  // namespace

void FillCommonTables(const profgauge::neuron::Data& data, ProfileBuilder& builder) {
  builder.ReserveDevice(data.instructions.size() + data.packets.size());
  FillInstructions(data, builder);
  FillDma(data, builder);
  FillCollectives(data, builder);
  for (const profgauge::neuron::Layer& row : data.layers) {
    builder.AddDeviceRange({row.start, row.duration, row.path, 0, 0});
  }
  std::int32_t cores = 1;
  for (const profgauge::neuron::Instruction& row : data.instructions)
    cores = std::max(cores, row.core + 1);
  for (std::int32_t core = 0; core < std::min(cores, 64); ++core) {
    Gpu gpu;
    gpu.id = core;
    gpu.name = "NeuronCore";
    if (!data.instance_type.empty()) gpu.name += " of " + data.instance_type;
    builder.AddGpu(std::move(gpu));
  }
  if (data.total_time > 0) builder.SetSpan(0, data.total_time);
}

}  // namespace profgauge::readers::neuron
