#include "readers/kineto/kineto_reader.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers {
namespace kineto {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// What stands around the events is small; more than this of it is not kept.
constexpr std::size_t kMaxEnvelope = std::size_t{64} << 20;

Error InputError(const ByteSource& source, std::string code, std::string message,
                 std::uint64_t offset) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = source.name();
  error.where.offset = offset;
  error.where.has_offset = true;
  return error;
}

/// One import, from the first byte to the finished profile.
class Import {
 public:
  Import(ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options), input_(source) {}

  Result<Profile> Run() {
    PROFGAUGE_CHECK(FindList());
    PROFGAUGE_CHECK(ReadEvents());
    ReadOutside();
    PROFGAUGE_CHECK(CheckComplete());
    auto& origin = builder_.source();
    origin.path = source_.name();
    origin.format = "kineto";
    origin.bytes = input_.total();
    origin.hash = input_.Hash();
    origin.dialect = Dialect();
    return builder_.Finish();
  }

 private:
  /// Reads up to the list's bracket; keeps what stands before it.
  Status FindList() {
    std::string window;
    input_.Read(window, kChunkBytes);
    if (window.starts_with(kByteOrderMark)) {
      window.erase(0, kByteOrderMark.size());
      builder_.log().Add(Counter::byte_order_mark);
    }
    ListFinder finder;
    while (!window.empty()) {
      const auto found = finder.Feed(window);
      if (found) {
        outside_.append(window, 0, *found);
        input_.Unread(std::string_view(window).substr(*found));
        bare_list_ = finder.bare_list();
        return {};
      }
      if (!finder.plausible()) return Fail(NotATrace("is not JSON"));
      if (finder.ended()) break;
      if (outside_.size() < kMaxEnvelope) outside_ += window;
      window.clear();
      input_.Read(window, kChunkBytes);
    }
    if (!finder.ended()) {
      return Fail(input_.error() ? *input_.error() : Truncated(input_.total()));
    }
    return Fail(NotATrace("has no list `traceEvents`"));
  }

  Status ReadEvents() {
    EventParser parser;
    std::optional<EventSink> sink;
    Rows rows;
    while (!list_ended_) {
      Chunk chunk = NextChunk(input_);
      if (!sink) {
        fraction_ = DetectFraction(chunk.text);
        sink.emplace(fraction_);
      }
      for (;;) {
        rows.Clear();
        sink->Begin(rows);
        const auto end = parser.Parse(chunk.text, *sink);
        if (end.state == ParseEnd::State::kInside && !chunk.last) {
          Extend(chunk);  // The cut was inside an element.
          continue;
        }
        if (end.state == ParseEnd::State::kInvalid) return Fail(Invalid(chunk, end));
        Merge(rows, builder_);
        events_ += end.events;
        if (end.state == ParseEnd::State::kListEnd) {
          list_ended_ = true;
          KeepOutside("]");
          KeepOutside(std::string_view(chunk.text).substr(end.offset));
        }
        break;
      }
      if (chunk.last) break;
    }
    std::string window;
    while (!input_.at_end()) {
      window.clear();
      input_.Read(window, kChunkBytes);
      KeepOutside(window);
    }
    return {};
  }

  void Extend(Chunk& chunk) {
    Chunk next = NextChunk(input_);
    chunk.text += next.text;
    chunk.last = next.last;
  }

  void KeepOutside(std::string_view text) {
    if (outside_.size() < kMaxEnvelope) outside_ += text;
  }

  void ReadOutside() {
    if (bare_list_) {
      complete_ = list_ended_;
    } else if (list_ended_) {
      envelope_ = ReadEnvelope(outside_, builder_);
      complete_ = envelope_.complete;
    }
    builder_.SetClockOffset(envelope_.base_time);
  }

  Status CheckComplete() {
    if (complete_ && !input_.error()) return {};
    if (options_.allow_incomplete) {
      builder_.log().Add(Counter::truncated);
      return {};
    }
    if (input_.error()) return Fail(*input_.error());
    return Fail(Truncated(input_.total()));
  }

  std::string Dialect() const {
    if (envelope_.has_base_time) return "microseconds since a base time";
    if (fraction_ == Fraction::kUnpadded) return "absolute times with unpadded nanoseconds";
    return bare_list_ ? "bare list of events" : "object with a list of events";
  }

  Error NotATrace(std::string_view how) const {
    auto error = InputError(source_, "kineto/not-a-trace", fmt::format("the file {}", how), 0);
    error.where.has_offset = false;
    error.notes.push_back(
        "help: expected a trace of the PyTorch profiler (*.pt.trace.json or *.pt.trace.json.gz)");
    return error;
  }

  Error Truncated(std::uint64_t offset) const {
    auto error = InputError(
        source_, "kineto/truncated",
        fmt::format("the trace ends early; {} of its events are complete", events_), offset);
    error.notes.push_back(
        "help: the profiler was probably killed while writing; pass --allow-incomplete to judge "
        "what is there");
    return error;
  }

  Error Invalid(const Chunk& chunk, const ParseEnd& end) const {
    return InputError(source_, "kineto/invalid-json",
                      fmt::format("the trace is not valid JSON: {}", end.reason),
                      chunk.offset + end.offset);
  }

  ByteSource& source_;
  ReadOptions options_;
  Input input_;
  ProfileBuilder builder_;
  std::string outside_;
  Envelope envelope_;
  Fraction fraction_ = Fraction::kDecimal;
  std::uint64_t events_ = 0;
  bool bare_list_ = false;
  bool list_ended_ = false;
  bool complete_ = false;
};

class KinetoReader final : public Reader {
 public:
  std::string_view name() const override { return "kineto"; }

  Match Sniff(std::span<const std::byte> head) const override {
    std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return Match::kNo;
    const bool object = text[first] == '{';
    if (!object && text[first] != '[') return Match::kNo;
    const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
    if (object && (has("\"traceEvents\"") || has("\"deviceProperties\""))) return Match::kYes;
    if (!object && has("\"ph\"")) return Match::kYes;
    return Match::kMaybe;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    return Import(source, options).Run();
  }
};

}  // namespace
}  // namespace kineto

std::unique_ptr<Reader> MakeKinetoReader() { return std::make_unique<kineto::KinetoReader>(); }

}  // namespace profgauge::readers
