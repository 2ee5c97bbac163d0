// Work of a device: GpuRenderStageEvent, whole in one packet.
//
//   2 duration, 11 device, 14 stage (its number: "Kernel", "Memcpy"), 17 or 20 name, 19 kernel
//   21 launch { 1 grid { 1 x, 2 y, 3 z }, 2 block { same }, 3 argument { 1, 2 name, 3, 4 value } }
//   6 extra_data { 1 name, 2 value }, texts: "device id", "stream id", "correlation", "arch"
//
// The device of extra_data is CUDA's; field 11 counts devices of the process and is used without
// it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "readers/kineto/pftrace/decoder.h"
#include "readers/text/numbers.h"
#include "readers/text/wire.h"

namespace profgauge::readers::pftrace {
namespace {

using kineto::Field;
using kineto::Form;

struct StageKind {
  std::string_view name, category;
};
constexpr StageKind kStageKinds[] = {{"Kernel", "kernel"},
                                     {"Memcpy", "gpu_memcpy"},
                                     {"Memset", "gpu_memset"},
                                     {"Annotation", "gpu_user_annotation"}};

/// The category that PyTorch's JSON has; empty for stages that nothing here is made of.
std::string_view CategoryOfStage(std::string_view name) {
  for (const StageKind& kind : kStageKinds) {
    if (kind.name == name) return kind.category;
  }
  return {};
}

/// The argument that PyTorch's JSON has in place of a text of extra_data; of others a collective's.
Field FieldOfExtra(std::string_view name) {
  if (name == "device id") return Field::kDevice;
  if (name == "stream id") return Field::kStream;
  if (name == "correlation") return Field::kCorrelation;
  if (name == "bytes") return Field::kBytes;
  const Field field = kineto::ArgsField(name);
  const bool is_collective = field >= Field::kCollective && field <= Field::kDestinationRank;
  return is_collective ? field : Field::kNone;
}

/// "[24, 1, 1]" of a message of three numbers.
std::string_view TripleOf(std::string_view message, std::string& text) {
  std::uint64_t sizes[3] = {0, 0, 0};
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() >= 1 && fields.field() <= 3) sizes[fields.field() - 1] = fields.Varint();
  }
  text.clear();
  for (const std::uint64_t size : sizes) {
    const fmt::format_int digits(size);
    text += text.empty() ? "[" : ", ";
    text.append(digits.data(), digits.size());
  }
  text += ']';
  return text;
}

Ns LengthOf(std::uint64_t duration) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Ns>::max());
  return static_cast<Ns>(std::min(duration, most));
}

}  // namespace

// Numbers are texts here; "0" is left out by the writer.
bool Decoder::ReadExtra(std::string_view message) {
  std::string_view name, value;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) name = fields.Bytes();
    if (fields.field() == 2) value = fields.Bytes();
  }
  const Field field = FieldOfExtra(name);
  if (field != Field::kNone) arguments_.Add(field, value, Form::kString);
  extra_.has_device |= field == Field::kDevice;
  extra_.has_stream |= field == Field::kStream;
  if (field == Field::kDevice) extra_.device = ParseInteger(value).value_or(-1);
  if (name == "arch") extra_.architecture = value;
  return fields.ok();
}

// Shared memory is not taken: the writer has the dynamic part only of it.
bool Decoder::ReadArgument(std::string_view message, const Sequence& sequence) {
  std::string_view name;
  std::int64_t value = 0;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) {
      name = Find(sequence, Table::kArguments, fields.Varint()).value_or("");
    }
    if (fields.field() == 2) name = fields.Bytes();
    if (fields.field() == 3 || fields.field() == 4) value = fields.Signed();
  }
  if (name == "registers_per_thread") {
    arguments_.Add(Field::kRegisters, DigitsOf(fmt::format_int(value)), Form::kNumber);
  }
  return fields.ok();
}

bool Decoder::ReadLaunch(std::string_view message, const Sequence& sequence) {
  WireReader fields(message);
  while (fields.Next()) {
    const Field field = fields.field() == 1   ? Field::kGrid
                        : fields.field() == 2 ? Field::kBlock
                                              : Field::kNone;
    if (field != Field::kNone) {
      arguments_.Add(field, TripleOf(fields.Bytes(), digits_), Form::kStructure);
    }
    if (fields.field() == 3 && !ReadArgument(fields.Bytes(), sequence)) return false;
  }
  return fields.ok();
}

bool Decoder::ReadStage(std::string_view message, Stamp stamp, const Sequence& sequence) {
  Stage stage{stamp};
  std::string_view name, kind;
  std::uint64_t kernel = 0;
  std::int64_t gpu = 0;
  extra_ = {};
  arguments_.Begin();
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 2:
        stage.duration = LengthOf(fields.Varint());
        break;
      case 6:
        if (!ReadExtra(fields.Bytes())) return false;
        break;
      case 11:
        gpu = fields.Signed();
        break;
      case 14:
        kind = Find(sequence, Table::kSpecifications, fields.Varint()).value_or("");
        break;
      case 17:
        name = fields.Bytes();
        break;
      case 19:
        kernel = fields.Varint();
        break;
      case 20:
        name = NameOf(Find(sequence, Table::kNames, fields.Varint()), fields.Varint());
        break;
      case 21:
        if (!ReadLaunch(fields.Bytes(), sequence)) return false;
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return false;
  // Only PyTorch writes device and stream as texts.
  (extra_.has_device && extra_.has_stream ? decoded_.signs.pytorch_stages
                                          : decoded_.signs.other_stages) = true;
  const std::string_view category = CategoryOfStage(kind);
  if (category.empty()) {
    builder_.log().Add(Counter::events_ignored_kind);
    return true;
  }
  if (!extra_.has_device) {
    arguments_.Add(Field::kDevice, DigitsOf(fmt::format_int(gpu)), Form::kNumber);
  }
  if (!decoded_.architecture && !extra_.architecture.empty()) {
    decoded_.architecture.emplace(extra_.has_device ? extra_.device : gpu, extra_.architecture);
  }
  if (name.empty() && kernel != 0) name = NameOf(Find(sequence, Table::kKernels, kernel), kernel);
  stage.row = Receive(category, name.empty() ? kind : name);
  decoded_.stages.push_back(stage);
  return true;
}

}  // namespace profgauge::readers::pftrace
