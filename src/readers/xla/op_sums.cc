#include "readers/xla/op_sums.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "base/numbers.h"
#include "base/varint.h"
#include "readers/text/wire.h"
#include "readers/text/wire_copy.h"

namespace profgauge::readers::xla {
namespace {

constexpr const char* kNote = "by XLA's FLOPs of each operator, from the first to the last";

Value Known(double value) { return value >= 0 ? Value(value) : Value{}; }

}  // namespace

// The planes of several devices mostly have equal peaks; otherwise the largest is used.
void OpSums::SetPeaks(double flops, double bandwidth) {
  peak_flops_ = std::max(peak_flops_, flops);
  peak_bandwidth_ = std::max(peak_bandwidth_, bandwidth);
}

void OpSums::Extend(std::int32_t device, Ns start, Ns end) {
  const auto [at, is_new] = devices_.try_emplace(device, Extent{start, end});
  at->second.first = std::min(at->second.first, start);
  at->second.last = std::max(at->second.last, end);
}

void OpSums::Add(StringId name, Ns duration, double flops, double bytes) {
  if (flops <= 0) return;
  Sum& sum = ops_[name.value];
  ++sum.calls;
  sum.time += duration;
  sum.flops += flops;
  sum.bytes += std::max(bytes, 0.0);
  sum.knows_bytes = sum.knows_bytes && bytes >= 0;
}

void OpSums::Report(ProfileBuilder& builder) const {
  double flops = 0, seconds = 0;
  for (const auto& [name, sum] : ops_) flops += sum.flops;
  for (const auto& [device, extent] : devices_) {
    seconds += static_cast<double>(extent.last - extent.first) * 1e-9;
  }
  if (flops <= 0 || seconds <= 0) return;
  Reported& reported = builder.reported();
  reported.metrics.push_back({metric::kFlopsAchieved, flops / seconds, kNote});
  if (peak_flops_ > 0) {
    reported.metrics.push_back({metric::kFlopsHfu, flops / seconds / peak_flops_, kNote});
  }
  std::vector<std::pair<std::uint32_t, Sum>> rows(ops_.begin(), ops_.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.second.time, a.first) < std::pair(-b.second.time, b.first);
  });
  ReportedTable table{"roofline",
                      {"name", "calls", "time", "flops", "bytes", "intensity", "achieved", "peak",
                       "mfu", "achieved_bandwidth", "bandwidth_share", "bound", "roof_share"},
                      {}};
  for (const auto& [name, sum] : rows) {
    const double time = static_cast<double>(sum.time) * 1e-9;
    const bool timed = time > 0;
    const double bytes = sum.knows_bytes && sum.bytes < kLargestWhole ? sum.bytes : -1;
    const double compute = peak_flops_ > 0 ? sum.flops / peak_flops_ : -1;
    const double memory = peak_bandwidth_ > 0 && bytes >= 0 ? bytes / peak_bandwidth_ : -1;
    const bool roof = compute >= 0 && memory >= 0;
    table.rows.push_back(
        {std::string(builder.Name(StringId{name})), sum.calls, sum.time, sum.flops,
         bytes >= 0 ? Value(static_cast<std::int64_t>(bytes)) : Value{},
         Known(bytes > 0 ? sum.flops / bytes : -1), Known(timed ? sum.flops / time : -1),
         Known(peak_flops_ > 0 ? peak_flops_ : -1),
         Known(timed && compute >= 0 ? compute / time : -1),
         Known(timed && bytes >= 0 ? bytes / time : -1),
         Known(timed && memory >= 0 ? memory / time : -1),
         roof ? Value(std::string(compute > memory ? "compute" : "memory")) : Value{},
         Known(timed && roof ? std::max(compute, memory) / time : -1)});
  }
  reported.tables.push_back(std::move(table));
}

namespace {

// Field numbers, by message.
namespace hlo_proto {
enum : std::uint32_t { kModule = 1 };
}
namespace hlo_module {
enum : std::uint32_t { kComputations = 3 };
}
namespace computation {
enum : std::uint32_t { kInstructions = 2, kId = 5 };
}
namespace instruction {
enum : std::uint32_t {
  kName = 1,
  kOpcode = 2,
  kShape = 3,
  kId = 35,
  kOperands = 36,
  kCalled = 38,
  kBackendConfig = 43
};
}
namespace shape_proto {
enum : std::uint32_t { kElementType = 2 };
}

constexpr std::string_view kTriton = "triton";

// The narrow PrimitiveTypes: S8, U8, F16, BF16, F8E5M2, F8E4M3FN, S4, U4, other F8, F4E2M1FN.
bool IsNarrow(std::uint64_t type) {
  static constexpr std::uint64_t kNarrow[] = {2, 6, 10, 16, 19, 20, 21, 22, 23, 24, 25, 28, 29, 32};
  return std::find(std::begin(kNarrow), std::end(kNarrow), type) != std::end(kNarrow);
}

struct Instruction {
  std::string_view name, opcode, backend;
  std::uint64_t type = 0;
  std::uint64_t id = 0;
  std::vector<std::uint64_t> operands, called;
};

// Reads repeated numbers, which are packed or single:
//
//   packed   field, length 3, 07 80 01     7 and 128 (a byte from 80 on goes on)
//   single   field, 07
//   none     field, length 0              a list without numbers, not the number 0
//
// Skips numbers after a damaged one, because its end is unknown.
void AddNumbers(const WireReader& field, std::vector<std::uint64_t>& numbers) {
  if (field.is_varint()) return numbers.push_back(field.Varint());
  std::string_view packed = field.Bytes();
  std::uint64_t number = 0;
  while (!packed.empty() && TakeVarint(packed, number)) numbers.push_back(number);
}

Instruction ReadInstruction(std::string_view message) {
  Instruction out;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == instruction::kName) out.name = fields.Bytes();
    if (fields.field() == instruction::kOpcode) out.opcode = fields.Bytes();
    if (fields.field() == instruction::kBackendConfig) out.backend = fields.Bytes();
    if (fields.field() == instruction::kId) out.id = fields.Varint();
    if (fields.field() == instruction::kOperands) AddNumbers(fields, out.operands);
    if (fields.field() == instruction::kCalled) AddNumbers(fields, out.called);
    if (fields.field() != instruction::kShape) continue;
    WireReader shape(fields.Bytes());
    while (shape.Next()) {
      if (shape.field() == shape_proto::kElementType) out.type = shape.Varint();
    }
  }
  return out;
}

// True if the computation has a matmul, and all of its matmuls have narrow types.
bool IsNarrowProduct(const std::vector<Instruction>& computation) {
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> types;
  for (const Instruction& one : computation) types[one.id] = one.type;
  bool has_product = false;
  for (const Instruction& one : computation) {
    if (one.opcode != "dot" && one.opcode != "scaled-dot") continue;
    has_product = true;
    for (const std::uint64_t operand : one.operands) {
      const auto type = types.find(operand);
      if (type == types.end() || !IsNarrow(type->second)) return false;
    }
  }
  return has_product;
}

// XLA names kernels after their instructions, with `_` for characters outside identifiers.
std::string KernelName(std::string_view instruction) {
  std::string name(instruction);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// For copies: an instruction's shapes without sizes, and whether it is configured by Triton.
std::string InstructionOnly(std::string_view message,
                            const std::function<std::string(std::string_view)>& name) {
  WireWriter out;
  ForEachWireField(message, [&](const WireReader& field, std::string_view raw) {
    switch (field.field()) {
      case instruction::kName:
        return out.Bytes(instruction::kName, name(KernelName(field.Bytes())));
      case instruction::kOpcode:
      case instruction::kId:
      case instruction::kOperands:
      case instruction::kCalled:
        return out.Raw(raw);
      case instruction::kBackendConfig:
        if (field.Bytes().find(kTriton) != std::string_view::npos) {
          out.Bytes(instruction::kBackendConfig, kTriton);
        }
        return;
      case instruction::kShape: {
        WireWriter shape;
        ForEachWireField(field.Bytes(), [&](const WireReader& of, std::string_view part) {
          if (of.field() == shape_proto::kElementType) shape.Raw(part);
        });
        return out.Bytes(instruction::kShape, shape.Take());
      }
      default:
        return;
    }
  });
  return out.Take();
}

}  // namespace

std::string HloModulesOnly(std::string_view hlo_proto,
                           const std::function<std::string(std::string_view)>& name) {
  WireWriter out;
  ForEachWireField(hlo_proto, [&](const WireReader& module, std::string_view) {
    if (module.field() != hlo_proto::kModule) return;
    WireWriter computations;
    ForEachWireField(module.Bytes(), [&](const WireReader& field, std::string_view) {
      if (field.field() != hlo_module::kComputations) return;
      WireWriter kept;
      ForEachWireField(field.Bytes(), [&](const WireReader& part, std::string_view raw) {
        if (part.field() == computation::kId) kept.Raw(raw);
        if (part.field() == computation::kInstructions) {
          kept.Bytes(computation::kInstructions, InstructionOnly(part.Bytes(), name));
        }
      });
      computations.Bytes(hlo_module::kComputations, kept.Take());
    });
    out.Bytes(hlo_proto::kModule, computations.Take());
  });
  return out.Take();
}

// Reads all computations first, because a fusion refers to them by id and may precede them.
void HloProducts::AddModule(std::string_view hlo_proto) {
  boost::unordered_flat_map<std::uint64_t, bool> computations;
  std::vector<Instruction> fusions;
  WireReader proto(hlo_proto);
  while (proto.Next()) {
    if (proto.field() != hlo_proto::kModule) continue;
    WireReader module(proto.Bytes());
    while (module.Next()) {
      if (module.field() != hlo_module::kComputations) continue;
      std::vector<Instruction> instructions;
      std::uint64_t id = 0;
      WireReader fields(module.Bytes());
      while (fields.Next()) {
        if (fields.field() == computation::kId) id = fields.Varint();
        if (fields.field() != computation::kInstructions) continue;
        instructions.push_back(ReadInstruction(fields.Bytes()));
      }
      computations[id] = IsNarrowProduct(instructions);
      for (Instruction& one : instructions) {
        if (one.opcode == "fusion") fusions.push_back(std::move(one));
      }
    }
  }
  for (const Instruction& fusion : fusions) {
    const bool is_product =
        fusion.backend.find(kTriton) != std::string_view::npos &&
        std::any_of(fusion.called.begin(), fusion.called.end(), [&](std::uint64_t called) {
          const auto found = computations.find(called);
          return found != computations.end() && found->second;
        });
    // Kernels do not show their module, and several modules may use one name, so all must agree.
    const auto [known, is_new] = is_product_.try_emplace(KernelName(fusion.name), is_product);
    if (!is_new) known->second = known->second && is_product;
  }
}

bool HloProducts::Has(std::string_view kernel_name) const {
  const auto found = is_product_.find(kernel_name);
  return found != is_product_.end() && found->second;
}

}  // namespace profgauge::readers::xla
