#include "readers/pyprof/net_dict_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/python_literal.h"
#include "base/text.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers::pyprof {
namespace {

// Reads the keys of one dictionary. `error` keeps the first error.
class Keys {
 public:
  explicit Keys(const PyValue& line) : line_(line) {}

  const PyValue* Find(const char* key, bool required) {
    const PyValue* value = line_.Find(key);
    if (value == nullptr && required) Fail("the key", key);
    return value;
  }
  void Text(const char* key, std::string& out, bool required) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (!value->is_text()) return Fail("a text for", key);
    out = value->text;
  }
  template <class T>
  void Integer(const char* key, T& out, bool required = false) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (value->kind != PyValue::Kind::kInt || value->integer < std::numeric_limits<T>::min() ||
        value->integer > std::numeric_limits<T>::max()) {
      return Fail("a whole number for", key);
    }
    out = static_cast<T>(value->integer);
  }
  void Texts(const char* key, std::vector<std::string>& out, bool required = false) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (!value->is_sequence()) return Fail("a list for", key);
    for (const PyValue& item : value->items) {
      if (!item.is_text()) return Fail("texts in", key);
      out.push_back(item.text);
    }
  }
  void Integers(const char* key, std::vector<std::int64_t>& out) {
    const PyValue* value = Find(key, false);
    if (value == nullptr) return;
    if (!value->is_sequence()) return Fail("a list for", key);
    for (const PyValue& item : value->items) {
      if (item.kind != PyValue::Kind::kInt) return Fail("whole numbers in", key);
      out.push_back(item.integer);
    }
  }
  void Dimensions(const char* key, std::int32_t (&out)[3]) {
    std::vector<std::int64_t> sizes;
    Integers(key, sizes);
    for (std::size_t i = 0; i < 3 && i < sizes.size(); ++i) {
      constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();
      out[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(sizes[i], 0, kLargestSize));
    }
  }

  const std::string& error() const { return error_; }

 private:
  void Fail(std::string_view what, std::string_view key) {
    if (error_.empty()) error_ = fmt::format("expected {} `{}`", what, key);
  }
  const PyValue& line_;
  std::string error_;
};

}  // namespace

tl::expected<KernelLine, std::string> ParseKernelLine(std::string_view line) {
  const auto parsed = ParsePythonLiteral(line);
  if (!parsed) {
    return tl::unexpected(
        fmt::format("expected {} at column {}", parsed.error().expected, parsed.error().column));
  }
  if (parsed->kind != PyValue::Kind::kDict) {
    return tl::unexpected(std::string("expected a dictionary at column 1"));
  }
  KernelLine kernel;
  std::string direction;
  Keys keys(*parsed);
  keys.Text("kShortName", kernel.short_name, true);
  keys.Integer("kDuration", kernel.duration, true);
  keys.Texts("op", kernel.ops, true);
  keys.Texts("mod", kernel.modules, true);
  keys.Text("dir", direction, true);
  keys.Text("kLongName", kernel.long_name, false);
  keys.Texts("layer", kernel.layers);
  keys.Texts("trace", kernel.trace);
  keys.Texts("marker", kernel.markers);
  keys.Texts("seqMarker", kernel.seq_markers);
  keys.Integers("seqId", kernel.seq_ids);
  keys.Integers("altSeqId", kernel.alt_seq_ids);
  keys.Integer("subSeqId", kernel.sub_seq);
  keys.Integer("tid", kernel.thread);
  keys.Integer("device", kernel.device);
  keys.Integer("stream", kernel.stream);
  keys.Dimensions("grid", kernel.config.grid);
  keys.Dimensions("block", kernel.config.block);
  if (!keys.error().empty()) return tl::unexpected(keys.error());
  if (kernel.duration < 0) return tl::unexpected(std::string("expected a duration of 0 or more"));
  if (direction != "fprop" && direction != "bprop") {
    return tl::unexpected(std::string("expected `fprop` or `bprop` for `dir`"));
  }
  kernel.backward = direction == "bprop";
  return kernel;
}

}  // namespace profgauge::readers::pyprof

namespace profgauge::readers {
namespace {

/// The maximum length of a line. Lines of kernels have a few kilobytes.
constexpr std::size_t kLongestLine = std::size_t{16} << 20;
constexpr RecordingHint kHints[] = {
    {Capability::kLaunchLinks, "net.dict does not have them"},
    {Capability::kIterationMarkers,
     "net.dict has no times; pass the profile from which it was made"},
};
constexpr std::size_t kBlock = std::size_t{1} << 20;

// One import. The model needs start times, but net.dict has only durations. So each kernel begins
// where the kernel before it ends, and no two have the same start. The profile has no timeline.
//
//   line       1        2     3            durations 5, 0, 4
//   start      [0 -- 5) [5,6) [6 -- 10)    a kernel of length 0 gets one nanosecond
class Import {
 public:
  Import(ByteSource& source, const ReadOptions& options) : source_(source), options_(options) {}

  Result<Profile> Run() {
    PROFGAUGE_CHECK(ReadLines());
    TakeBlock(nullptr);
    if (markers_.empty() || bad_ * 10 > markers_.size() + bad_) return Fail(TooManyBadLines());
    CloseCall();
    builder_.SetHints(kHints);
    builder_.SetCopiesUnknown("this format has kernels but no copies");
    PROFGAUGE_TRY(Profile profile, builder_.Finish());
    profile.has_timeline = false;
    SortMarkers(profile);
    return profile;
  }

 private:
  struct Call {
    HostRow row;
    std::vector<std::string> ops;  // Operators of its first kernel.
    std::string marker;            // Marker of the outermost Python function.
    std::vector<std::string> trace;
    bool backward = false;
  };

  Status ReadLines() {
    ContentHash hash;
    std::vector<std::byte> block(kBlock);
    std::string text;
    Source& out = builder_.source();
    while (true) {
      PROFGAUGE_TRY(const std::size_t got, source_.Read(block));
      const std::string_view bytes(reinterpret_cast<const char*>(block.data()), got);
      hash.Add(bytes);
      text += out.bytes == 0 ? WithoutByteOrderMark(bytes) : bytes;
      out.bytes += got;
      std::size_t begin = 0;
      for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        AddLine(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
      }
      text.erase(0, begin);
      if (text.size() > kLongestLine) {
        return Fail(InputError(source_.name(), "pyprof/line-too-long",
                               fmt::format("line {} is longer than 16 MiB", line_ + 1),
                               "net.dict has one kernel per line; the lines may have been joined"));
      }
      if (got == 0) break;
    }
    out.path = source_.name();
    out.format = "pyprof";
    out.accelerator = "nvidia";
    out.dialect = "net.dict";
    out.hash = hash.Hex();
    return AddRest(text);
  }

  // Handles the text after the last line end: a line without an end, or only the begin of one.
  Status AddRest(std::string_view rest) {
    if (Trim(rest).empty() || Trim(rest).ends_with('}')) {
      AddLine(rest);
      return {};
    }
    if (!options_.allow_incomplete) {
      return Fail(
          InputError(source_.name(), "pyprof/truncated",
                     fmt::format("net.dict ends inside line {}", line_ + 1),
                     "copy it again; or pass --allow-incomplete to judge the readable part"));
    }
    builder_.log().Add(Counter::truncated);
    return {};
  }

  void AddLine(std::string_view line) {
    ++line_;
    if (Trim(line).empty()) return;
    auto kernel = pyprof::ParseKernelLine(Trim(line));
    if (kernel && !TimesFit(reach_, kernel->duration)) {
      kernel = tl::unexpected(std::string("expected a duration of at most 13 days"));
    }
    if (!kernel) {
      ++bad_;
      const std::string place = fmt::format("line {}: {}", line_, kernel.error());
      if (first_bad_.empty()) first_bad_ = place;
      builder_.log().AddAt(Counter::events_unreadable, place);
      return;
    }
    builder_.log().Add(Counter::events_read);
    reach_ += std::max<Ns>(kernel->duration, 1);
    if (!block_.empty() && !IsOfBlock(*kernel)) TakeBlock(&*kernel);
    block_.push_back(*std::move(kernel));
  }

  /// True if the kernel has the operator, arguments and source line of the kernels before it.
  /// REQUIRES: block_ is not empty.
  bool IsOfBlock(const pyprof::KernelLine& kernel) const {
    const pyprof::KernelLine& last = block_.back();
    return kernel.sub_seq > 0 && kernel.backward == last.backward && kernel.ops == last.ops &&
           kernel.seq_ids == last.seq_ids && kernel.markers == last.markers &&
           kernel.trace == last.trace;
  }

  /// Adds the kernels of a block, which belong to one call, or to several with equal arguments.
  /// `next`: the kernel after the block; null at the end.
  ///
  /// PyProf numbers kernels by autograd's sequence number, which increases only with calls that
  /// autograd records. Other calls ("norm" of each parameter) have the number of the next operator.
  /// In that case, if all kernels of the block are alike, each is a separate call.
  void TakeBlock(const pyprof::KernelLine* next) {
    if (!block_.empty() && !block_.front().backward) KeepForGradients(block_.front());
    const bool leaves_number = next != nullptr && !block_.empty() && !next->backward &&
                               !block_.front().backward && !block_.front().seq_ids.empty() &&
                               next->seq_ids == block_.front().seq_ids;
    const auto is_as_first = [this](const pyprof::KernelLine& kernel) {
      return kernel.long_name == block_.front().long_name &&
             kernel.short_name == block_.front().short_name &&
             kernel.config == block_.front().config;
    };
    const bool calls_each = leaves_number && std::ranges::all_of(block_, is_as_first);
    for (std::size_t i = 0; i < block_.size(); ++i) {
      AddKernel(block_[i], (i > 0 && !calls_each) || ContinuesCall(block_[i]));
    }
    block_.clear();
  }

  /// Adds a kernel: to the current call if `continues`, otherwise to a new call.
  void AddKernel(const pyprof::KernelLine& kernel, bool continues) {
    DeviceRow row;
    row.start = next_;
    row.duration = kernel.duration;
    row.name = builder_.Intern(kernel.long_name.empty() ? kernel.short_name : kernel.long_name);
    row.gpu = kernel.device;
    row.stream = kernel.stream;
    row.config = builder_.AddLaunchConfig(kernel.config);
    JoinCall(kernel, continues);
    row.op_id = call_.row.id;
    builder_.AddDevice(row);
    markers_.push_back(MarkersOf(kernel));
    next_ += std::max<Ns>(kernel.duration, 1);
  }

  // True if a block's first kernel belongs to the call before it. A Python function ("linear") may
  // call several operators (matmul, then add_), which share its marker. Its next call begins with
  // the same operator as its first.
  bool ContinuesCall(const pyprof::KernelLine& kernel) const {
    return has_call_ && !kernel.backward && !call_.backward && !kernel.markers.empty() &&
           kernel.ops.size() > 1 && kernel.markers.front() == call_.marker &&
           kernel.trace == call_.trace && kernel.ops != call_.ops;
  }

  void JoinCall(const pyprof::KernelLine& kernel, bool continues) {
    if (!continues) {
      CloseCall();
      call_ = {};
      has_call_ = true;
      call_.ops = kernel.ops;
      call_.marker = kernel.markers.empty() ? "" : kernel.markers.front();
      call_.trace = kernel.trace;
      call_.backward = kernel.backward;
      call_.row.start = next_;
      call_.row.id = static_cast<std::int64_t>(markers_.size());
      call_.row.thread = builder_.AddThread("", fmt::format("{}", kernel.thread));
      call_.row.backward = kernel.backward;
      if (!kernel.seq_ids.empty()) call_.row.sequence = kernel.seq_ids.front();
      NameCall(kernel);
    }
    call_.row.duration = next_ + std::max<Ns>(kernel.duration, 1) - call_.row.start;
  }

  void NameCall(const pyprof::KernelLine& kernel) {
    RangeText range;
    if (!kernel.markers.empty()) range = ParsePyprofMarker(kernel.markers.front());
    if (range.dictionary.empty() && !kernel.seq_markers.empty()) {
      range.name = ParseRangeText(kernel.seq_markers.front(), "").name;
    } else if (range.dictionary.empty() && !kernel.ops.empty()) {
      range.name = kernel.ops.front();
    }
    if (range.name.empty()) range.name = "(unknown operator)";
    if (kernel.backward && range.name.find("ackward") == std::string::npos)
      range.name += "Backward";
    range.call_stack = StackOf(kernel);
    if (kernel.backward) TakeForward(kernel, range);
    AddTexts(range, builder_, call_.row);
  }

  static std::string StackOf(const pyprof::KernelLine& kernel) {
    std::string stack;
    for (auto line = kernel.trace.rbegin(); line != kernel.trace.rend(); ++line) {
      const auto colon = line->rfind(':');
      if (!stack.empty()) stack += ';';
      stack += colon == std::string::npos
                   ? *line
                   : line->substr(0, colon) + "(" + line->substr(colon + 1) + ")";
    }
    return stack;
  }

  // Notes the arguments of a block's call for gradients, for each block, because a Python function
  // (attention) makes calls with separate sequence numbers. The innermost marker has the arguments.
  void KeepForGradients(const pyprof::KernelLine& kernel) {
    RangeText range;
    if (!kernel.markers.empty()) range = ParsePyprofMarker(kernel.markers.back());
    range.call_stack = StackOf(kernel);
    for (const std::int64_t id : kernel.seq_ids) forward_[id] = range;
    for (const std::int64_t id : kernel.alt_seq_ids) forward_[id] = range;
  }

  // Copies arguments and source line of the forward call to a gradient without a marker. Autograd
  // runs a gradient with the sequence number of its forward call.
  void TakeForward(const pyprof::KernelLine& kernel, RangeText& range) const {
    if (!range.dictionary.empty()) return;
    for (const std::int64_t id : kernel.seq_ids) {
      const auto found = forward_.find(id);
      if (found == forward_.end()) continue;
      range.input_shapes = found->second.input_shapes;
      range.input_dtypes = found->second.input_dtypes;
      if (range.call_stack.empty()) range.call_stack = found->second.call_stack;
      return;
    }
  }

  void CloseCall() {
    if (has_call_) builder_.AddHost(call_.row);
  }

  KernelMarkers MarkersOf(const pyprof::KernelLine& kernel) {
    const auto ids = [&](const std::vector<std::string>& texts) {
      std::vector<StringId> out;
      for (const std::string& text : texts) out.push_back(builder_.Intern(text));
      return out;
    };
    KernelMarkers markers;
    markers.position = static_cast<std::int64_t>(markers_.size());
    markers.short_name = builder_.Intern(kernel.short_name);
    markers.layers = ids(kernel.layers);
    markers.trace = ids(kernel.trace);
    markers.markers = ids(kernel.markers);
    markers.seq_markers = ids(kernel.seq_markers);
    markers.modules = ids(kernel.modules);
    markers.ops = ids(kernel.ops);
    markers.seq_ids = kernel.seq_ids;
    markers.alt_seq_ids = kernel.alt_seq_ids;
    markers.sub_seq = kernel.sub_seq;
    markers.backward = kernel.backward;
    markers.thread = kernel.thread;
    return markers;
  }

  // Sorts markers like the finished table. All starts differ, so each start identifies a line.
  void SortMarkers(Profile& profile) {
    const std::vector<Ns>& starts = profile.device.start;
    std::vector<std::uint32_t> rows(starts.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return starts[a] < starts[b]; });
    profile.kernel_markers.resize(rows.size());
    for (std::size_t line = 0; line < rows.size(); ++line) {
      profile.kernel_markers[rows[line]] = std::move(markers_[line]);
    }
  }

  Error TooManyBadLines() const {
    return InputError(source_.name(), "pyprof/bad-lines",
                      fmt::format("{} of {} lines are not kernels of PyProf, the first in {}", bad_,
                                  markers_.size() + bad_, first_bad_),
                      "make the file again with `python -m pyprof.parse FILE.sqlite > net.dict`");
  }

  ByteSource& source_;
  const ReadOptions& options_;
  ProfileBuilder builder_;
  std::vector<KernelMarkers> markers_;  // One for each valid line.
  Call call_;
  bool has_call_ = false;
  std::unordered_map<std::int64_t, RangeText> forward_;  // By sequence number.
  std::vector<pyprof::KernelLine> block_;  // Kernels that were read but not yet added.
  Ns next_ = 0;                            // The start of the next added kernel,
  Ns reach_ = 0;                           // and of the next read one.
  std::size_t line_ = 0, bad_ = 0;
  std::string first_bad_;
};

class NetDictReader final : public Reader {
 public:
  std::string_view name() const override { return "pyprof"; }
  std::string_view expected() const override { return "PyProf's net.dict"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".dict"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text =
        WithoutByteOrderMark({reinterpret_cast<const char*>(head.data()), head.size()});
    const std::string_view line = Trim(text.substr(0, text.find('\n')));
    if (line.starts_with("{'kShortName'") || line.starts_with("{\"kShortName\""))
      return Match::kYes;
    const bool mentions = text.find("'kShortName':") != std::string_view::npos;
    return line.starts_with("{'") && mentions ? Match::kMaybe : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    return Import(source, options).Run();
  }
};

}  // namespace

std::unique_ptr<Reader> MakeNetDictReader() { return std::make_unique<NetDictReader>(); }

}  // namespace profgauge::readers
