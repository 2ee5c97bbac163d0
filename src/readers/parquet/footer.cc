#include "readers/parquet/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/thrift.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {
namespace {

constexpr std::string_view kMagic = "PAR1", kEncryptedMagic = "PARE";
constexpr std::uint64_t kLeastFile = 12;  // Both magics and the footer's length.
constexpr std::uint64_t kMostFooter = std::uint64_t{64} << 20;
constexpr std::size_t kMostNodes = 10'000;  // Neuron's widest table has 500 columns.
constexpr std::size_t kMostGroups = 100'000, kMostChunks = 10'000'000;
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;
// The limit of rows per byte of the file, which is gzip's maximum ratio: a row with data needs at
// least a bit of some column. More rows would only take memory.
constexpr std::uint64_t kMostRowsOfByte = 1032, kFewRows = 65'536;

/// The fields of a chunk as stored, not yet checked.
struct WrittenChunk {
  std::int64_t type = -1, codec = 0, values = -1, size = -1, data = -1, dictionary = 0;
  std::uint32_t encodings = 0;
  bool has_metadata = false, is_encrypted = false, is_elsewhere = false;
};

std::uint32_t BitOf(std::int64_t number) {
  return number >= 0 && number < 32 ? std::uint32_t{1} << number : 0;
}

struct Metadata {
  std::vector<SchemaElement> elements;
  std::vector<WrittenChunk> chunks;
  std::vector<std::size_t> groups;  // The first chunk of each group.
  std::vector<std::int64_t> group_rows;
  std::int64_t rows = -1;
  std::string created_by;
  bool is_encrypted = false, is_too_large = false;
};

// Field numbers are those of parquet.thrift. Other fields (statistics, paths, sizes) are skipped.
void ReadChunkMetadata(ThriftReader& thrift, WrittenChunk& chunk) {
  chunk.has_metadata = true;
  thrift.Struct([&](std::int64_t field) {
    switch (field) {
      case 1:
        chunk.type = thrift.Integer();
        break;
      case 2:
        thrift.List([](std::size_t) {}, [&] { chunk.encodings |= BitOf(thrift.Integer()); });
        break;
      case 4:
        chunk.codec = thrift.Integer();
        break;
      case 5:
        chunk.values = thrift.Integer();
        break;
      case 7:
        chunk.size = thrift.Integer();
        break;
      case 9:
        chunk.data = thrift.Integer();
        break;
      case 11:
        chunk.dictionary = thrift.Integer();
        break;
      default:
        break;
    }
  });
}

WrittenChunk ReadChunk(ThriftReader& thrift) {
  WrittenChunk chunk;
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) chunk.is_elsewhere = !thrift.Text().empty();
    if (field == 3) ReadChunkMetadata(thrift, chunk);
    if (field == 8 || field == 9) chunk.is_encrypted = true;
  });
  return chunk;
}

// Adds the group's first chunk to metadata.groups. If the number of rows is missing, `rows` stays
// -1, and CheckRows() refuses the file.
void ReadGroup(ThriftReader& thrift, Metadata& metadata) {
  metadata.groups.push_back(metadata.chunks.size());
  std::int64_t rows = -1;
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) {
      thrift.List(
          [&](std::size_t count) {
            metadata.is_too_large |= metadata.chunks.size() + count > kMostChunks;
          },
          [&] {
            if (!metadata.is_too_large) metadata.chunks.push_back(ReadChunk(thrift));
          });
    }
    if (field == 3) rows = thrift.Integer();
  });
  metadata.group_rows.push_back(rows);
}

Metadata ReadMetadata(ThriftReader& thrift) {
  Metadata metadata;
  thrift.Struct([&](std::int64_t field) {
    switch (field) {
      case 2:
        thrift.List([](std::size_t) {},
                    [&] {
                      // Stores one element above the limit, so that a check can detect the excess.
                      if (metadata.elements.size() <= kMostNodes) {
                        metadata.elements.push_back(ReadSchemaElement(thrift));
                      }
                    });
        break;
      case 3:
        metadata.rows = thrift.Integer();
        break;
      case 4:
        thrift.List([&](std::size_t count) { metadata.is_too_large |= count > kMostGroups; },
                    [&] {
                      if (!metadata.is_too_large) ReadGroup(thrift, metadata);
                    });
        break;
      case 6:
        metadata.created_by = thrift.Text();
        break;
      case 8:
        metadata.is_encrypted = true;
        break;
      default:
        break;
    }
  });
  return metadata;
}

tl::unexpected<Error> Encrypted() {
  return Fail(InputError({}, "parquet/encrypted", "the Parquet file is encrypted",
                         "write it again without encryption"));
}

/// Checks a chunk and finds its begin, which is the dictionary if it has one. `end` is the begin of
/// the footer.
Result<Chunk> Checked(const WrittenChunk& written, const Column& column, std::uint64_t end,
                      std::int64_t rows) {
  if (written.is_elsewhere) return Unsupported("columns in other files");
  if (written.is_encrypted || !written.has_metadata) return Encrypted();
  if (written.type != static_cast<std::int64_t>(column.physical)) {
    return Damaged(fmt::format("column `{}` has another type than the schema states", column.name));
  }
  if (written.values < 0 || (!column.is_list && written.values != rows)) {
    return Damaged(
        fmt::format("column `{}` has {} values in {} rows", column.name, written.values, rows));
  }
  // Some writers store 0 for a missing dictionary.
  std::int64_t begin = written.data;
  if (written.dictionary > 0 && written.dictionary < begin) begin = written.dictionary;
  const std::uint64_t from = static_cast<std::uint64_t>(begin);
  const std::uint64_t size = static_cast<std::uint64_t>(written.size);
  // A column without values may have no pages and no offset.
  if (written.values == 0 && written.size <= 0) return Chunk{};
  if (begin < static_cast<std::int64_t>(kMagic.size()) || written.size < 0 || from > end ||
      size > end - from) {
    return Damaged(fmt::format("column `{}` is at {} with {} bytes, the file has {}", column.name,
                               begin, written.size, end));
  }
  Chunk chunk;
  chunk.begin = from;
  chunk.size = size;
  chunk.values = static_cast<std::uint64_t>(written.values);
  chunk.codec = static_cast<std::int32_t>(std::clamp<std::int64_t>(written.codec, -1, 1000));
  return chunk;
}

// Limits the number of rows by the file's size, because a damaged footer may state any number.
// Columns of one repeated value need few bytes, so small files may have many rows.
Status CheckRows(const Metadata& metadata, std::uint64_t file_size) {
  std::int64_t sum = 0;
  for (const std::int64_t rows : metadata.group_rows) {
    if (rows < 0 || rows > kMostRows || sum > kMostRows) {
      return Damaged(fmt::format("a group of {} rows", rows));
    }
    sum += rows;
  }
  if (sum != metadata.rows || metadata.rows < 0) {
    return Damaged(fmt::format("its groups have {} rows, it states {}", sum, metadata.rows));
  }
  const auto rows = static_cast<std::uint64_t>(sum);
  if (rows <= kFewRows || rows / kMostRowsOfByte <= file_size) return {};
  return TooLarge(fmt::format("{} rows in {} bytes", rows, file_size));
}

Result<std::string> ReadFooterBytes(const StoredBytes& bytes) {
  const auto truncated = [] {
    return Fail(InputError({}, "parquet/truncated",
                           "the Parquet file ends early: its footer, which is written last, is "
                           "missing",
                           "export it again; wait until the tool has ended"));
  };
  if (bytes.size() < kLeastFile) return truncated();
  std::string tail;
  PROFGAUGE_CHECK(bytes.Read(bytes.size() - 8, 8, tail));
  if (tail.ends_with(kEncryptedMagic)) return Encrypted();
  if (!tail.ends_with(kMagic)) return truncated();
  std::uint64_t size = 0;
  for (std::size_t i = 4; i-- > 0;) size = size << 8 | static_cast<unsigned char>(tail[i]);
  if (size > bytes.size() - kLeastFile) return Damaged(fmt::format("a footer of {} bytes", size));
  if (size > kMostFooter) return TooLarge(fmt::format("a footer of {} bytes", size));
  std::string footer;
  PROFGAUGE_CHECK(bytes.Read(bytes.size() - 8 - size, static_cast<std::size_t>(size), footer));
  return footer;
}

}  // namespace

bool IsParquet(std::string_view head) {
  return head.starts_with(kMagic) || head.starts_with(kEncryptedMagic);
}

std::string FormText(const Footer& footer) {
  constexpr std::string_view kEncodings[] = {"PLAIN",
                                             "",
                                             "PLAIN_DICTIONARY",
                                             "RLE",
                                             "BIT_PACKED",
                                             "DELTA_BINARY_PACKED",
                                             "DELTA_LENGTH_BYTE_ARRAY",
                                             "DELTA_BYTE_ARRAY",
                                             "RLE_DICTIONARY",
                                             "BYTE_STREAM_SPLIT"};
  constexpr std::string_view kCodecs[] = {"", "Snappy", "gzip", "", "", "", "zstd", "LZ4_RAW"};
  const auto list = [](std::uint32_t bits, std::span<const std::string_view> names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((bits >> i & 1) == 0 || names[i].empty()) continue;
      text += (text.empty() ? "" : ", ") + std::string(names[i]);
    }
    return text;
  };
  std::string text = footer.created_by.empty() ? "no writer named" : footer.created_by;
  for (const std::string& part :
       {list(footer.encodings, kEncodings), list(footer.codecs, kCodecs)}) {
    if (!part.empty()) text += "; " + part;
  }
  const bool is_short =
      std::any_of(footer.columns.begin(), footer.columns.end(),
                  [](const Column& column) { return column.physical == Physical::kFloat; });
  return is_short ? text + "; reals of 32 bits" : text;
}

Result<Footer> ReadFooter(const StoredBytes& bytes) {
  PROFGAUGE_TRY(const std::string text, ReadFooterBytes(bytes));
  ThriftReader thrift(text);
  Metadata metadata = ReadMetadata(thrift);
  if (metadata.is_too_large) return TooLarge("too many columns and groups of rows");
  if (!thrift.ok()) return Damaged("its footer cannot be read");
  if (metadata.is_encrypted) return Encrypted();
  if (metadata.elements.size() > kMostNodes) {
    return Damaged(fmt::format("a schema of more than {} nodes", kMostNodes));
  }
  Footer footer;
  PROFGAUGE_TRY(footer.columns, ColumnsOf(metadata.elements));
  PROFGAUGE_CHECK(CheckRows(metadata, bytes.size()));
  footer.rows = static_cast<std::uint64_t>(metadata.rows);
  footer.created_by = std::move(metadata.created_by);
  footer.chunks.reserve(metadata.chunks.size());
  metadata.groups.push_back(metadata.chunks.size());
  const std::uint64_t end = bytes.size() - 8 - text.size();
  for (std::size_t group = 0; group < metadata.group_rows.size(); ++group) {
    const std::size_t first = metadata.groups[group];
    if (metadata.groups[group + 1] - first != footer.columns.size()) {
      return Damaged("a group of rows has fewer columns than the schema");
    }
    const std::int64_t rows = metadata.group_rows[group];
    footer.group_rows.push_back(static_cast<std::uint64_t>(rows));
    for (std::size_t i = 0; i < footer.columns.size(); ++i) {
      PROFGAUGE_TRY(const Chunk chunk,
                    Checked(metadata.chunks[first + i], footer.columns[i], end, rows));
      footer.chunks.push_back(chunk);
      footer.encodings |= metadata.chunks[first + i].encodings;
      footer.codecs |= BitOf(chunk.codec);
    }
  }
  return footer;
}

namespace {

// Numbers defined by the format.
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
constexpr int kMostScale = 38;  // The largest decimal of 16 bytes.

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
    // Converted types 11 to 14 are UINT_8 to UINT_64.
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

/// Walks the nodes of the schema, parents before children.
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
  /// The combined effect of all groups around a node.
  struct Around {
    std::string path;
    std::size_t depth = 0;
    int definition = 0, repetition = 0;
    int empty = 0;  // For repeated nodes, the level of an empty list.
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
    // Nodes below a list are not in the path, so `x.list.element` is x. The format's three-level
    // lists and the two-level lists of old writers get the same name.
    if (here.repetition == 0) {
      if (!here.path.empty()) here.path += '.';
      here.path += element.name;
    }
    if (repeats) here.empty = here.definition;
    // The repeated node in a list may have any name: "list", "bag", "array".
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
