#include "readers/parquet/schema.h"

#include <fmt/format.h>

#include <string>

#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {
namespace {

// The format's numbers.
namespace converted {
enum : std::int64_t {
  kMap = 1,
  kMapKeyValue = 2,
  kList = 3,
  kDecimal = 5,
  kTimeMillis = 7,
  kTimeMicros = 8,
  kMomentMillis = 9,
  kMomentMicros = 10,
  kUint8 = 11,
  kUint64 = 14
};
}  // namespace converted
namespace logical {
enum : std::int64_t {
  kMap = 2,
  kList = 3,
  kDecimal = 5,
  kTime = 7,
  kMoment = 8,
  kInteger = 10,
  kHalf = 15
};
enum Unit : std::int64_t { kMillis = 1, kMicros = 2 };
}  // namespace logical
enum Repetition : std::int64_t { kRequired = 0, kRepeated = 2 };
constexpr std::size_t kMostDepth = 16;
constexpr int kMostScale = 38;  // Largest scale of a decimal of 16 bytes.

void ReadLogical(ThriftReader& thrift, SchemaElement& element) {
  thrift.Struct([&](std::int64_t kind) {
    element.logical = kind;
    if (kind == logical::kDecimal) {
      thrift.Struct([&](std::int64_t field) {
        if (field == 1) element.logical_scale = thrift.Integer();
      });
    } else if (kind == logical::kTime || kind == logical::kMoment) {
      thrift.Struct([&](std::int64_t field) {
        if (field == 2) thrift.Struct([&](std::int64_t unit) { element.logical_unit = unit; });
      });
    } else if (kind == logical::kInteger) {
      thrift.Struct([&](std::int64_t field) {
        if (field == 2) element.logical_is_signed = thrift.Bool();
      });
    }
  });
}

std::int64_t NanosecondsOfUnit(const SchemaElement& element) {
  constexpr std::int64_t kMillis = 1'000'000, kMicros = 1'000;
  if (element.logical == logical::kTime || element.logical == logical::kMoment) {
    return element.logical_unit == logical::kMillis   ? kMillis
           : element.logical_unit == logical::kMicros ? kMicros
                                                      : 1;
  }
  const std::int64_t kind = element.converted;
  if (kind == converted::kTimeMillis || kind == converted::kMomentMillis) return kMillis;
  return kind == converted::kTimeMicros || kind == converted::kMomentMicros ? kMicros : 1;
}

Status SetForm(const SchemaElement& element, Column& column) {
  const Physical physical = column.physical;
  const bool is_bytes = physical == Physical::kBytes || physical == Physical::kFixedBytes;
  const bool is_integer = physical == Physical::kInt32 || physical == Physical::kInt64;
  column.form = is_bytes                                                        ? Form::kText
                : physical == Physical::kBoolean                                ? Form::kBool
                : physical == Physical::kFloat || physical == Physical::kDouble ? Form::kReal
                                                                                : Form::kInteger;
  if (physical == Physical::kFixedBytes) {
    if (element.length <= 0 || element.length > (std::int64_t{1} << 24)) {
      return Damaged(fmt::format("values of {} bytes", element.length));
    }
    column.width = static_cast<std::uint32_t>(element.length);
  }
  if (physical == Physical::kInt96) column.conversion = Conversion::kNanoseconds;
  if (element.logical == logical::kDecimal || element.converted == converted::kDecimal) {
    if (!is_integer && !is_bytes) return {};
    const std::int64_t scale =
        element.logical == logical::kDecimal ? element.logical_scale : element.scale;
    if (scale < 0 || scale > kMostScale) return Damaged(fmt::format("a scale of {}", scale));
    column.form = Form::kReal;
    column.conversion = Conversion::kDecimal;
    column.scale = static_cast<int>(scale);
  } else if (element.logical == logical::kHalf && column.width == 2) {
    column.form = Form::kReal;
    column.conversion = Conversion::kHalf;
  } else if (is_integer) {
    column.factor = NanosecondsOfUnit(element);
    if (column.factor != 1) column.conversion = Conversion::kTimes;
    // The converted types 11 to 14 are UINT_8 to UINT_64.
    column.is_unsigned =
        element.logical == logical::kInteger
            ? !element.logical_is_signed
            : element.converted >= converted::kUint8 && element.converted <= converted::kUint64;
    if (column.is_unsigned && physical == Physical::kInt32) {
      column.conversion = Conversion::kUnsigned32;
    }
  }
  return {};
}

/// Goes through the nodes, parents before children.
class Walk {
 public:
  explicit Walk(const std::vector<SchemaElement>& elements) : elements_(elements) {}

  Result<std::vector<Column>> Run() {
    if (elements_.empty()) return Damaged("it has no schema");
    PROFGAUGE_CHECK(Children(elements_[at_++], {}));
    if (at_ != elements_.size()) return Damaged("nodes of its schema are in no group");
    return std::move(columns_);
  }

 private:
  /// The effect of the groups around a node.
  struct Around {
    std::string path;
    std::size_t depth = 0;
    int definition = 0, repetition = 0;
    int empty = 0;  // The level of an empty list, for repeated nodes.
    bool is_map = false, is_in_list = false;
  };

  Status Children(const SchemaElement& group, const Around& around) {
    if (group.children < 0 || static_cast<std::uint64_t>(group.children) > elements_.size() - at_) {
      return Damaged(fmt::format("a group of its schema has {} members", group.children));
    }
    for (std::int64_t i = 0; i < group.children; ++i) PROFGAUGE_CHECK(Node(around));
    return {};
  }

  Status Node(Around here) {
    if (at_ == elements_.size()) return Damaged("its schema ends early");
    const SchemaElement& element = elements_[at_++];
    if (++here.depth > kMostDepth) return Damaged("its schema is nested too deep");
    if (element.repetition < kRequired || element.repetition > kRepeated) {
      return Damaged(fmt::format("a column has repetition type {}", element.repetition));
    }
    const bool repeats = element.repetition == kRepeated;
    // Below a list its name goes on: `x.list.element` is x.
    // The three-level form of the format, and the two-level one of old writers, give the same name.
    if (here.repetition == 0) {
      if (!here.path.empty()) here.path += '.';
      here.path += element.name;
    }
    if (repeats) here.empty = here.definition;
    // The repeated node in a list has a name of the writer's choice: "list", "bag", "array".
    if (repeats && here.repetition == 0 && here.is_in_list) here.path.resize(here.path.rfind('.'));
    here.definition += element.repetition == kRequired ? 0 : 1;
    here.repetition += repeats ? 1 : 0;
    here.is_in_list = element.logical == logical::kList || element.converted == converted::kList;
    here.is_map = here.is_map || element.logical == logical::kMap ||
                  element.converted == converted::kMap ||
                  element.converted == converted::kMapKeyValue;
    if (element.children != 0 || element.type < 0) return Children(element, here);
    return Leaf(element, here);
  }

  Status Leaf(const SchemaElement& element, const Around& here) {
    if (element.type > static_cast<std::int64_t>(Physical::kFixedBytes)) {
      return Damaged(fmt::format("values of type {}", element.type));
    }
    Column& column = columns_.emplace_back();
    column.name = here.path;
    column.physical = static_cast<Physical>(element.type);
    column.definition = static_cast<std::uint8_t>(here.definition);
    column.repetition = static_cast<std::uint8_t>(here.repetition);
    column.empty = static_cast<std::uint8_t>(here.empty);
    column.is_list = here.repetition > 0;
    column.is_readable = here.repetition <= 1 && !here.is_map;
    return SetForm(element, column);
  }

  const std::vector<SchemaElement>& elements_;
  std::size_t at_ = 0;
  std::vector<Column> columns_;
};

}  // namespace

SchemaElement ReadSchemaElement(ThriftReader& thrift) {
  SchemaElement element;
  thrift.Struct([&](std::int64_t field) {
    switch (field) {
      case 1:
        element.type = thrift.Integer();
        break;
      case 2:
        element.length = thrift.Integer();
        break;
      case 3:
        element.repetition = thrift.Integer();
        break;
      case 4:
        element.name = thrift.Text();
        break;
      case 5:
        element.children = thrift.Integer();
        break;
      case 6:
        element.converted = thrift.Integer();
        break;
      case 7:
        element.scale = thrift.Integer();
        break;
      case 10:
        ReadLogical(thrift, element);
        break;
      default:
        break;
    }
  });
  return element;
}

Result<std::vector<Column>> ColumnsOf(const std::vector<SchemaElement>& elements) {
  return Walk(elements).Run();
}

}  // namespace profgauge::readers::parquet
