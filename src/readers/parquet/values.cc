#include "readers/parquet/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/varint.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {
namespace {

constexpr std::uint64_t kMostText = std::uint64_t{16} << 20;
// The maximum size of texts that are made from the begin of the text before them. They may be far
// longer than their stored bytes.
constexpr std::uint64_t kMostMade = std::uint64_t{256} << 20;

tl::unexpected<Error> EndsEarly() { return Damaged("the values of a page end early"); }

std::size_t WidthOf(const Column& column) {
  switch (column.physical) {
    case Physical::kInt32:
    case Physical::kFloat:
      return 4;
    case Physical::kInt64:
    case Physical::kDouble:
      return 8;
    case Physical::kInt96:
      return 12;
    case Physical::kFixedBytes:
      return column.width;
    case Physical::kBoolean:
    case Physical::kBytes:
      break;
  }
  return 0;
}

template <class Number>
Number Load(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

std::int64_t BitsOf(double real) { return std::bit_cast<std::int64_t>(real); }

double HalfOf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  constexpr double kSubnormal = 1.0 / (1 << 24), kOne = 1024;
  const double size = exponent == 0    ? fraction * kSubnormal
                      : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                       : std::ldexp((fraction + kOne) / kOne, exponent - 15);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Converts a signed big-endian number of any length.
double BigEndianOf(std::string_view bytes) {
  double number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number = number * 256 + (i == 0 ? static_cast<signed char>(byte) : byte);
  }
  return number;
}

double Scaled(double number, int scale) { return number / std::pow(10.0, scale); }

/// Converts a time of 12 bytes: nanoseconds of the day, then the Julian day.
std::int64_t NanosecondsOf(const char* bytes) {
  constexpr std::int64_t kDay = 86'400'000'000'000, kFirst = 2'440'588;  // 1970-01-01.
  const std::int64_t day = Load<std::uint32_t>(bytes + 8) - kFirst;
  // Days out of range wrap, like all arithmetic of the format. No profile has such a day.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(day) *
                                       static_cast<std::uint64_t>(kDay) +
                                   Load<std::uint64_t>(bytes));
}

std::int64_t Converted(const Column& column, std::int64_t number) {
  switch (column.conversion) {
    case Conversion::kUnsigned32:
      return number & 0xFFFF'FFFF;
    case Conversion::kTimes:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) *
                                       static_cast<std::uint64_t>(column.factor));
    case Conversion::kDecimal:
      return BitsOf(Scaled(static_cast<double>(number), column.scale));
    default:
      return number;
  }
}

void Convert(const Column& column, std::size_t from, std::vector<std::int64_t>& numbers) {
  if (column.conversion == Conversion::kNone) return;
  for (std::size_t i = from; i < numbers.size(); ++i) numbers[i] = Converted(column, numbers[i]);
}

/// Adds a value of a fixed number of bytes, or a number that is written as text.
void AddBytes(const Column& column, std::string_view bytes, ValueList& out) {
  if (column.conversion == Conversion::kDecimal) {
    out.numbers.push_back(BitsOf(Scaled(BigEndianOf(bytes), column.scale)));
  } else if (column.conversion == Conversion::kHalf) {
    out.numbers.push_back(BitsOf(HalfOf(Load<std::uint16_t>(bytes.data()))));
  } else {
    out.texts.push_back(bytes);
  }
}

/// Adds consecutive values with a fixed number of bytes.
void AddFixed(const Column& column, const char* bytes, std::size_t count, ValueList& out) {
  const std::size_t width = WidthOf(column), from = out.numbers.size();
  if (count == 0) return;
  if (column.physical == Physical::kFixedBytes) {
    for (std::size_t i = 0; i < count; ++i) AddBytes(column, {bytes + i * width, width}, out);
    return;
  }
  out.numbers.resize(from + count);
  std::int64_t* to = out.numbers.data() + from;
  const auto fill = [&](auto value_at) {
    for (std::size_t i = 0; i < count; ++i) to[i] = value_at(bytes + i * width);
  };
  switch (column.physical) {
    case Physical::kInt32:
      fill([](const char* at) { return std::int64_t{Load<std::int32_t>(at)}; });
      break;
    case Physical::kInt64:
      std::memcpy(to, bytes, count * sizeof(std::int64_t));
      break;
    case Physical::kFloat:
      fill([](const char* at) { return BitsOf(double{Load<float>(at)}); });
      break;
    case Physical::kDouble:
      std::memcpy(to, bytes, count * sizeof(std::int64_t));
      break;
    case Physical::kInt96:
      fill(NanosecondsOf);
      break;
    default:
      break;
  }
  Convert(column, from, out.numbers);
}

/// Removes a text and its length from the front.
bool TakeText(std::string_view& body, std::string_view& text) {
  if (body.size() < sizeof(std::uint32_t)) return false;
  const std::size_t size = Load<std::uint32_t>(body.data());
  body.remove_prefix(sizeof(std::uint32_t));
  if (size > body.size() || size > kMostText) return false;
  text = body.substr(0, size);
  body.remove_prefix(size);
  return true;
}

}  // namespace

Result<Dictionary> ReadDictionary(const Column& column, Kept bytes, std::uint64_t count) {
  // Values need at least one bit each, unless there is only one value.
  if (count > std::max<std::uint64_t>(bytes->size() * 8, 1)) {
    return Damaged(fmt::format("a dictionary of {} values in {} bytes", count, bytes->size()));
  }
  Dictionary dictionary;
  dictionary.bytes = std::move(bytes);
  std::vector<Kept> none;
  PROFGAUGE_TRY(PageValues values,
                PageValues::Begin(column, Encoding::kPlain, *dictionary.bytes, nullptr));
  PROFGAUGE_CHECK(values.Read(static_cast<std::size_t>(count), dictionary.values, none));
  return dictionary;
}

Result<PageValues> PageValues::Begin(const Column& column, Encoding encoding, std::string_view body,
                                     const Dictionary* dictionary) {
  PageValues values;
  values.column_ = &column;
  values.dictionary_ = dictionary;
  values.encoding_ = encoding;
  values.body_ = body;
  const bool is_bytes =
      column.physical == Physical::kBytes || column.physical == Physical::kFixedBytes;
  const bool is_integer =
      column.physical == Physical::kInt32 || column.physical == Physical::kInt64;
  const std::size_t width = WidthOf(column);
  switch (encoding) {
    case Encoding::kPlain:
      values.bits_ = PackedBits(body, 1);
      values.bits_left_ = std::uint64_t{body.size()} * 8;
      return values;
    case Encoding::kPlainDictionary:
    case Encoding::kDictionary: {
      if (dictionary == nullptr) return Damaged("indices without a dictionary");
      values.is_empty_ = body.empty();
      if (values.is_empty_) return values;
      const unsigned bits = static_cast<unsigned char>(body.front());
      if (bits > Runs::kMostBits) return Damaged(fmt::format("indices of {} bits", bits));
      values.runs_ = Runs(body.substr(1), bits);
      return values;
    }
    case Encoding::kRuns: {
      std::string_view runs;
      if (column.physical != Physical::kBoolean) break;
      values.is_empty_ = body.empty();
      if (values.is_empty_) return values;
      if (!TakeText(body, runs)) return EndsEarly();
      values.runs_ = Runs(runs, 1);
      return values;
    }
    case Encoding::kDeltas:
    case Encoding::kDeltaLengths:
    case Encoding::kDeltaBytes: {
      if (encoding == Encoding::kDeltas ? !is_integer : !is_bytes) break;
      if (body.empty()) return values;
      if (encoding == Encoding::kDeltaBytes) {
        const auto prefixes = Deltas::Begin(body);
        const auto rest = prefixes ? prefixes->Behind() : std::nullopt;
        if (!rest) return Damaged("invalid differences");
        values.prefixes_ = *prefixes;
        body = *rest;
      }
      const auto deltas = Deltas::Begin(body);
      if (!deltas) return Damaged("invalid differences");
      values.deltas_ = *deltas;
      if (encoding == Encoding::kDeltas) return values;
      const auto behind = deltas->Behind();
      if (!behind) return Damaged("lengths of texts end early");
      values.body_ = *behind;
      return values;
    }
    case Encoding::kSplitBytes:
      if (width == 0) break;
      if (body.size() % width != 0) return EndsEarly();
      values.stride_ = body.size() / width;
      return values;
    case Encoding::kBitPacked:
      break;
  }
  return Unsupported(fmt::format("column `{}` with values in encoding {}", column.name,
                                 static_cast<std::int32_t>(encoding)));
}

Status PageValues::Read(std::size_t count, ValueList& out, std::vector<Kept>& kept) {
  if (is_empty_ && count > 0) return EndsEarly();
  switch (encoding_) {
    case Encoding::kPlain:
      return column_->physical == Physical::kBytes     ? ReadPlainTexts(count, out)
             : column_->physical == Physical::kBoolean ? ReadBits(count, out)
                                                       : ReadPlain(count, out);
    case Encoding::kPlainDictionary:
    case Encoding::kDictionary:
      return ReadIndices(count, out);
    case Encoding::kRuns: {
      scratch_.resize(count);
      if (!runs_.Read(count, scratch_.data())) return EndsEarly();
      out.numbers.insert(out.numbers.end(), scratch_.begin(), scratch_.end());
      return {};
    }
    case Encoding::kDeltas:
      return ReadDeltas(count, out);
    case Encoding::kDeltaLengths:
    case Encoding::kDeltaBytes:
      return ReadDeltaTexts(count, out, kept);
    case Encoding::kSplitBytes:
      return ReadSplit(count, out, kept);
    case Encoding::kBitPacked:
      break;
  }
  return EndsEarly();
}

Status PageValues::ReadPlain(std::size_t count, ValueList& out) {
  const std::size_t width = WidthOf(*column_);
  if (count > body_.size() / width) return EndsEarly();
  AddFixed(*column_, body_.data(), count, out);
  body_.remove_prefix(count * width);
  return {};
}

Status PageValues::ReadPlainTexts(std::size_t count, ValueList& out) {
  const bool is_number = column_->form != Form::kText;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text;
    if (!TakeText(body_, text)) return Damaged("a text is longer than its page");
    if (is_number) {
      AddBytes(*column_, text, out);
    } else {
      out.texts.push_back(text);
    }
  }
  return {};
}

Status PageValues::ReadBits(std::size_t count, ValueList& out) {
  if (count > bits_left_) return EndsEarly();
  bits_left_ -= count;
  for (std::size_t i = 0; i < count; ++i) {
    out.numbers.push_back(static_cast<std::int64_t>(bits_.Next()));
  }
  return {};
}

Status PageValues::ReadIndices(std::size_t count, ValueList& out) {
  const ValueList& values = dictionary_->values;
  const std::size_t most = values.size();
  const auto add = [&](auto& from, auto& to) -> Status {
    std::uint32_t index = 0;
    for (std::size_t left = count; left > 0;) {
      // In a run of one value the index is checked only once.
      std::size_t now = runs_.Ahead(left, index);
      const bool repeats = now > 0;
      if (!repeats) now = left;
      scratch_.resize(now);
      if (!runs_.Read(now, scratch_.data())) return EndsEarly();
      if (repeats ? index >= most : *std::max_element(scratch_.begin(), scratch_.end()) >= most) {
        return Damaged("an index is beyond the dictionary");
      }
      const std::size_t first = to.size();
      to.resize(first + now);
      if (repeats) {
        std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(first), now, from[index]);
      } else {
        for (std::size_t i = 0; i < now; ++i) to[first + i] = from[scratch_[i]];
      }
      left -= now;
    }
    return {};
  };
  return column_->form == Form::kText ? add(values.texts, out.texts)
                                      : add(values.numbers, out.numbers);
}

Status PageValues::ReadDeltas(std::size_t count, ValueList& out) {
  const std::size_t from = out.numbers.size();
  out.numbers.resize(from + count);
  std::int64_t* numbers = out.numbers.data() + from;
  if (!deltas_.Read(count, numbers)) return EndsEarly();
  if (column_->physical == Physical::kInt32) {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(numbers[i]));
    }
  }
  Convert(*column_, from, out.numbers);
  return {};
}

Status PageValues::ReadDeltaTexts(std::size_t count, ValueList& out, std::vector<Kept>& kept) {
  lengths_.resize(count);
  if (!deltas_.Read(count, lengths_.data())) return EndsEarly();
  shared_.assign(count, 0);
  const bool has_prefixes = encoding_ == Encoding::kDeltaBytes;
  if (has_prefixes && !prefixes_.Read(count, shared_.data())) return EndsEarly();
  // Checks all lengths before texts are made, because their memory must not move afterwards.
  std::uint64_t before = last_.size(), left = body_.size(), sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t shared = shared_[i], length = lengths_[i];
    if (shared < 0 || length < 0 || static_cast<std::uint64_t>(shared) > before ||
        static_cast<std::uint64_t>(length) > left) {
      return Damaged(fmt::format("a text of {} bytes", length));
    }
    left -= static_cast<std::uint64_t>(length);
    before = static_cast<std::uint64_t>(shared + length);
    if (before > kMostText) return TooLarge(fmt::format("a text of {} bytes", before));
    sum += before;
    if (has_prefixes && sum + made_ > kMostMade) return TooLarge("repeated texts in a page");
  }
  made_ += sum;
  std::shared_ptr<std::string> made;
  if (has_prefixes) {
    made = std::make_shared<std::string>();
    made->reserve(static_cast<std::size_t>(sum));
    kept.push_back(made);
  }
  std::string_view last = last_;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::size_t>(lengths_[i]);
    std::string_view text = body_.substr(0, length);
    body_.remove_prefix(length);
    if (has_prefixes) {
      const std::size_t begin = made->size();
      made->append(last.substr(0, static_cast<std::size_t>(shared_[i])));
      made->append(text);
      text = std::string_view(*made).substr(begin);
      last = text;
    }
    if (column_->form == Form::kText) {
      out.texts.push_back(text);
    } else if (column_->width == 0 || text.size() == column_->width) {
      AddBytes(*column_, text, out);
    } else {
      return EndsEarly();
    }
  }
  if (has_prefixes) last_ = std::string(last);
  return {};
}

Status PageValues::ReadSplit(std::size_t count, ValueList& out, std::vector<Kept>& kept) {
  if (count > stride_ - next_) return EndsEarly();
  const std::size_t width = WidthOf(*column_);
  auto made = std::make_shared<std::string>(count * width, '\0');
  for (std::size_t byte = 0; byte < width; ++byte) {
    const char* from = body_.data() + byte * stride_ + next_;
    for (std::size_t i = 0; i < count; ++i) (*made)[i * width + byte] = from[i];
  }
  next_ += count;
  AddFixed(*column_, made->data(), count, out);
  if (column_->form == Form::kText) kept.push_back(std::move(made));
  return {};
}

static_assert(std::endian::native == std::endian::little, "numbers are loaded as they are stored");

// A number of up to 64 bits that begins inside a byte may end in a ninth byte:
//
//   byte      first            first + 1 .. first + 7      first + 8
//   bits      |shift|......... low >> shift .............| high << (64 - shift)
std::uint64_t PackedBits::Next() {
  const std::size_t first = bit_ / 8, shift = bit_ % 8;
  bit_ += width_;
  if (width_ == 0) return 0;
  std::uint64_t low = 0;
  if (first + sizeof(low) <= bytes_.size()) {
    std::memcpy(&low, bytes_.data() + first, sizeof(low));
  } else if (first < bytes_.size()) {
    std::memcpy(&low, bytes_.data() + first, bytes_.size() - first);
  }
  std::uint64_t number = low >> shift;
  if (shift + width_ > 64 && first + sizeof(low) < bytes_.size()) {
    const auto high = static_cast<unsigned char>(bytes_[first + sizeof(low)]);
    number |= std::uint64_t{high} << (64 - shift);
  }
  return width_ == 64 ? number : number & ((std::uint64_t{1} << width_) - 1);
}

void PackedBits::Read(std::size_t count, std::uint32_t* out) {
  // The eight bytes from `at` on include the whole number, wherever it begins.
  const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
  std::size_t i = 0;
  for (; i < count && bit_ / 8 + sizeof(mask) <= bytes_.size(); ++i, bit_ += width_) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + bit_ / 8, sizeof(bits));
    out[i] = static_cast<std::uint32_t>(bits >> bit_ % 8 & mask);
  }
  for (; i < count; ++i) out[i] = static_cast<std::uint32_t>(Next());
}

bool Runs::Begin() {
  std::uint64_t head = 0;
  if (!TakeVarint(bytes_, head)) return false;
  const std::uint64_t length = head >> 1;
  if (length == 0) return false;
  if ((head & 1) == 0) {
    const std::size_t size = (width_ + 7) / 8;
    if (size > bytes_.size()) return false;
    number_ = 0;
    std::memcpy(&number_, bytes_.data(), size);
    bytes_.remove_prefix(size);
    repeated_ = static_cast<std::size_t>(length);
    return width_ == kMostBits || number_ >> width_ == 0;
  }
  // Some writers omit the empty bytes of the last run.
  const std::uint64_t room = width_ == 0 ? length * 8 : std::uint64_t{bytes_.size()} * 8 / width_;
  const std::uint64_t values = length > room ? room : std::min(length * 8, room);
  const std::uint64_t size = std::min<std::uint64_t>(bytes_.size(), (values * width_ + 7) / 8);
  // The view includes bytes after the run, so that short runs are read eight bytes at a time, too.
  bits_ = PackedBits(bytes_, width_);
  bytes_.remove_prefix(static_cast<std::size_t>(size));
  packed_ = static_cast<std::size_t>(values);
  return values > 0;
}

bool Runs::Read(std::size_t count, std::uint32_t* out) {
  while (count > 0) {
    // Numbers of 0 bits are all 0, so a file may store them without runs.
    if (width_ == 0) {
      std::fill_n(out, count, 0U);
      return true;
    }
    if (repeated_ == 0 && packed_ == 0 && !Begin()) return false;
    std::size_t now = 0;
    if (repeated_ > 0) {
      now = std::min(repeated_, count);
      std::fill_n(out, now, number_);
      repeated_ -= now;
    } else {
      now = std::min(packed_, count);
      bits_.Read(now, out);
      packed_ -= now;
    }
    out += now;
    count -= now;
  }
  return true;
}

std::size_t Runs::Ahead(std::size_t most, std::uint32_t& number) {
  if (width_ == 0) {
    number = 0;
    return most;
  }
  if (repeated_ == 0 && packed_ == 0 && !Begin()) return 0;
  number = number_;
  return std::min(repeated_, most);
}

std::optional<Deltas> Deltas::Begin(std::string_view bytes) {
  constexpr std::uint64_t kMostBlock = std::uint64_t{1} << 20;
  Deltas deltas;
  std::uint64_t block = 0;
  if (!TakeVarint(bytes, block) || !TakeVarint(bytes, deltas.minis_) ||
      !TakeVarint(bytes, deltas.count_) || !TakeZigZag(bytes, deltas.value_)) {
    return std::nullopt;
  }
  if (block == 0 || block > kMostBlock || block % 128 != 0) return std::nullopt;
  if (deltas.minis_ == 0 || block % deltas.minis_ != 0) return std::nullopt;
  deltas.mini_size_ = block / deltas.minis_;
  if (deltas.mini_size_ % 32 != 0) return std::nullopt;
  deltas.left_ = deltas.count_;
  deltas.bytes_ = bytes;
  return deltas;
}

bool Deltas::BeginBlock() {
  if (!TakeZigZag(bytes_, least_) || bytes_.size() < minis_) return false;
  widths_ = bytes_.substr(0, static_cast<std::size_t>(minis_));
  bytes_.remove_prefix(widths_.size());
  return true;
}

bool Deltas::BeginMini() {
  constexpr unsigned kMostBits = 64;
  if (widths_.empty() && !BeginBlock()) return false;
  const unsigned width = static_cast<unsigned char>(widths_.front());
  widths_.remove_prefix(1);
  if (width > kMostBits) return false;
  // Writers may omit the unused bytes of the last mini-block.
  const std::uint64_t wanted = (std::min(left_, mini_size_) * width + 7) / 8;
  const std::uint64_t size = mini_size_ * width / 8;
  if (wanted > bytes_.size()) return false;
  const auto whole = static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_.size()));
  bits_ = PackedBits(bytes_.substr(0, whole), width);
  bytes_.remove_prefix(whole);
  mini_left_ = mini_size_;
  return true;
}

bool Deltas::Read(std::size_t count, std::int64_t* out) {
  if (count > left_) return false;
  for (std::size_t i = 0; i < count;) {
    if (is_first_) {
      is_first_ = false;
      --left_;
      out[i++] = static_cast<std::int64_t>(value_);
      continue;
    }
    if (mini_left_ == 0 && !BeginMini()) return false;
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(mini_left_, count - i));
    for (const std::size_t end = i + now; i < end; ++i) {
      value_ += least_ + bits_.Next();
      out[i] = static_cast<std::int64_t>(value_);
    }
    mini_left_ -= now;
    left_ -= now;
  }
  return true;
}

// Returns the bytes after the numbers. To find them, it reads the headers of all blocks and skips
// the numbers.
std::optional<std::string_view> Deltas::Behind() const {
  Deltas rest = *this;
  if (rest.left_ > 0) --rest.left_;  // The first number needs no bits.
  while (rest.left_ > 0) {
    if (!rest.BeginMini()) return std::nullopt;
    rest.left_ -= std::min(rest.left_, rest.mini_size_);
  }
  return rest.bytes_;
}

}  // namespace profgauge::readers::parquet
