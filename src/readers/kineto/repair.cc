#include "readers/kineto/mend.h"

#include <fmt/format.h>

#include "base/text.h"

namespace profgauge::readers::kineto {
namespace {

/// A text like `}, {"name"` inside an event can look like its end; this many are tried.
constexpr int kMaxFalseEnds = 4;
/// The text after the list is short; only this much before the end is searched for it.
constexpr std::size_t kMaxTail = std::size_t{64} << 10;

// Counts the events of a text, before it is taken: a repair that makes two events of one is none.
class Probe final : public EventReceiver {
 public:
  void Receive(const RawEvent&) override { ++count; }
  void ReceiveOther() override { ++count; }
  int count = 0;
};

//   chunk    {good}, {repairable}, {hopeless}, {good}, {cut
//   Run()    Element Element       Skip        Element kInside
//
// An element reaches from its `{` to the next text that looks like a cut. If it cannot be read so
// far, the following cuts are tried, then it is left out.
class Repair {
 public:
  Repair(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows)
      : chunk_(chunk), text_(chunk.text), parser_(parser), sink_(sink), rows_(rows) {}

  ParseEnd Run() {
    rows_.Clear();
    sink_.Begin(rows_);
    ParseEnd end;
    bool comma = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsSpace(c)) {
        ++at_;
      } else if (c == ',') {
        if (comma) Count(Counter::trailing_commas);
        comma = true;
        ++at_;
      } else if (c == ']') {
        if (comma) Count(Counter::trailing_commas);
        ++at_;
        end.state = ParseEnd::State::kListEnd;
        break;
      } else if (Element()) {
        ++end.events;
        comma = false;
      } else if (Skip()) {
        comma = false;
      } else {
        end.state = ParseEnd::State::kInside;
        break;
      }
    }
    end.offset = at_;
    return end;
  }

 private:
  void Count(Counter counter) {
    rows_.log.AddAt(counter, fmt::format("byte {}", chunk_.OffsetOf(at_)));
  }

  /// Reads the element at at_ and moves after it.
  bool Element() {
    if (text_[at_] != '{') return false;
    auto limit = NextCut(at_ + 1);
    for (int tries = 0; tries < kMaxFalseEnds; ++tries) {
      if (auto mended = Mend(text_.substr(at_, limit - at_)); mended && Accept(*mended))
        return true;
      if (limit == text_.size()) return false;
      limit = NextCut(limit + 1);
    }
    return false;
  }

  // Parsed twice: only the second time do rows come into being.
  bool Accept(const Mended& mended) {
    Probe probe;
    const auto end = parser_.Parse(mended.text, probe);
    if (end.state != ParseEnd::State::kChunkEnd || probe.count != 1) return false;
    parser_.Parse(mended.text, sink_);
    for (const auto counter : mended.repairs) Count(counter);
    at_ += mended.end;
    return true;
  }

  /// Skips the text at at_, up to the next event or the list's end. False when neither
  /// follows in the chunk.
  bool Skip() {
    auto next = NextCut(at_ + 1);
    if (next == text_.size()) next = chunk_.last ? ListEnd() : text_.size();
    if (next == text_.size()) return false;
    Count(Counter::events_unreadable);
    rows_.log.Add(Counter::events_read);
    rows_.log.Add(Counter::bytes_skipped, next - at_);
    at_ = next;
    return true;
  }

  /// The `]` of the list in the last chunk: one after which the document continues to its end.
  /// Lists inside events look alike up to there.
  std::size_t ListEnd() const {
    for (auto at = FindListEnd(text_, at_); at != std::string_view::npos;
         at = FindListEnd(text_, at + 1)) {
      if (text_.size() - at > kMaxTail) continue;
      const auto rest = Trim(text_.substr(at + 1));
      if (rest.empty()) return at;
      // The text from the `]` on must be the end of an object: as one, it is repaired and ends
      // there.
      const auto document = "{\"\": [" + std::string(text_.substr(at));
      const auto mended = Mend(document);
      if (mended && Trim(std::string_view(document).substr(mended->end)).empty()) return at;
    }
    return text_.size();
  }

  std::size_t NextCut(std::size_t from) const {
    const auto cut = FindFirstCut(text_, from);
    return cut == std::string_view::npos ? text_.size() : cut;
  }

  const Chunk& chunk_;
  std::string_view text_;
  EventParser& parser_;
  EventSink& sink_;
  Rows& rows_;
  std::size_t at_ = 0;
};

}  // namespace

ParseEnd RepairChunk(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows) {
  return Repair(chunk, parser, sink, rows).Run();
}

}  // namespace profgauge::readers::kineto
