#include "readers/kineto/event_parser.h"

#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <functional>
#include <optional>
#include <string_view>

#include "base/json_writer.h"
#include "base/parallel.h"
#include "base/text.h"
#include "readers/kineto/skeleton.h"

namespace profgauge::readers::kineto {
namespace {

namespace json = boost::json;

/// Recognizes a key by its position in the event, because most events have the keys of the event
/// before in the same order. Comparing with the key that was last seen at this position is cheaper
/// than a lookup, which costs a hash, and mostly succeeds.
class KeyMemory {
 public:
  void Begin() { next_ = 0; }
  Field Find(std::string_view key, Field (*look_up)(std::string_view)) {
    auto& place = places_[next_++ % places_.size()];
    if (!place.is_set || place.key != key) {
      place.is_set = true;
      place.key.assign(key.substr(0, kMaxKey));
      place.field = look_up(key);
    }
    return place.field;
  }

 private:
  static constexpr std::size_t kMaxKey = 64;
  struct Place {
    std::string key;  // May be empty: samples of hardware counters have such a key.
    Field field = Field::kNone;
    bool is_set = false;
  };
  std::array<Place, 32> places_;
  std::size_t next_ = 0;
};

/// Follows the parser through list, event and args, and collects the values of known fields.
///   level     [ {"ph": "X", "args": {"stream": 7, "x": {"y": 1}}} ]
///   kList     ^ values here are elements that are no event
///   kEvent      ^ fields by EventField()
///   kArgs                           ^ fields by ArgsField()
///   nested_                                            ^ 1: skipped, or written in canonical text
///
/// Wanted structures become text with canonical white space: "[[32, 3], []]".
class Handler : public JsonHandler {
 public:
  /// Prepares a chunk, before the parser gets text that represents the elements before `chunk`. If
  /// `single`, parsing stops after the first event.
  void Begin(std::string_view chunk, bool single, EventReceiver& receiver) {
    chunk_ = chunk;
    single_ = single;
    receiver_ = nullptr;
    next_receiver_ = &receiver;
    level_ = Level::kOutside;
    nested_ = 0;
    structure_ = nullptr;
    events_ = 0;
    partial_.clear();
  }
  /// From now on, the parser reads the chunk itself, so elements go to the receiver.
  void BeginElements() {
    receiver_ = next_receiver_;
    events_ = 0;
  }
  bool outside() const { return level_ == Level::kOutside; }
  bool between_events() const { return level_ == Level::kList && nested_ == 0; }
  std::uint64_t events() const { return events_; }

  bool on_array_begin(Code&) {
    if (level_ == Level::kOutside) {
      level_ = Level::kList;
    } else {
      OpenNested('[');
    }
    return true;
  }
  bool on_array_end(std::size_t, Code&) {
    if (nested_ > 0) {
      CloseNested(']');
    } else {
      level_ = Level::kOutside;
    }
    return true;
  }
  bool on_object_begin(Code&) {
    if (nested_ > 0) {
      OpenNested('{');
    } else if (level_ == Level::kList) {
      level_ = Level::kEvent;
      event_.Clear();
      event_keys_.Begin();
      args_keys_.Begin();
      scratch_.Clear();
    } else if (level_ == Level::kEvent && field_ == Field::kArgs) {
      level_ = Level::kArgs;
    } else {
      OpenNested('{');
    }
    return true;
  }
  // In `single` mode, an error code stops the parser at the event's `}`.
  bool on_object_end(std::size_t, Code& code) {
    if (nested_ > 0) {
      CloseNested('}');
    } else if (level_ == Level::kArgs) {
      level_ = Level::kEvent;
    } else {
      level_ = Level::kList;
      ++events_;
      receiver_->Receive(event_);
      if (single_)
        code = boost::system::errc::make_error_code(boost::system::errc::operation_canceled);
      return !single_;
    }
    return true;
  }

  bool on_key_part(View part, std::size_t, Code&) {
    partial_.append(part.data(), part.size());
    return true;
  }
  bool on_key(View part, std::size_t size, Code&) {
    if (nested_ > 0) {
      if (structure_) AppendScalar(Whole(part, size), true);
    } else {
      const auto key = Whole(part, size);
      field_ = level_ == Level::kEvent ? event_keys_.Find(key, EventField)
                                       : args_keys_.Find(key, ArgsField);
    }
    partial_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) {
    partial_.append(part.data(), part.size());
    return true;
  }
  bool on_string(View part, std::size_t size, Code&) {
    Value(Whole(part, size), Form::kString);
    partial_.clear();
    return true;
  }
  bool on_number_part(View part, Code&) {
    partial_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t, View part, Code&) { return Number(part); }
  bool on_uint64(std::uint64_t, View part, Code&) { return Number(part); }
  bool on_double(double, View part, Code&) { return Number(part); }
  bool on_bool(bool value, Code&) {
    Value(value ? "true" : "false", Form::kBool);
    return true;
  }
  bool on_null(Code&) {
    Value("null", Form::kNull);
    return true;
  }

 private:
  enum class Level : std::uint8_t { kOutside, kList, kEvent, kArgs };

  bool Wanted() const { return nested_ == 0 && level_ >= Level::kEvent && field_ < Field::kCount_; }

  // Returns the whole text of a string, which Boost passes in parts, e.g. if it has an escape.
  std::string_view Whole(View part, std::size_t size) {
    if (part.size() == size) return {part.data(), part.size()};
    partial_.append(part.data(), part.size());
    return partial_;
  }

  bool Number(View part) {
    Value(partial_.empty() ? std::string_view(part.data(), part.size())
                           : std::string_view(partial_.append(part.data(), part.size())),
          Form::kNumber);
    partial_.clear();
    return true;
  }

  void Value(std::string_view text, Form form) {
    if (structure_) {
      AppendScalar(text, false);
    } else if (Wanted()) {
      event_.Set(field_, Stable(text), form);
    } else if (level_ == Level::kList && nested_ == 0) {
      Other();
    }
  }

  void Other() {
    ++events_;
    if (receiver_) receiver_->ReceiveOther();
  }

  /// The same text as a view that lives as long as the event: of the chunk, or of a copy.
  std::string_view Stable(std::string_view text) {
    const std::less<const char*> before;
    const bool in_chunk = !before(text.data(), chunk_.data()) &&
                          !before(chunk_.data() + chunk_.size(), text.data() + text.size());
    if (in_chunk) return text;
    auto& copy = scratch_.Next();
    copy.assign(text);
    return copy;
  }

  void OpenNested(char bracket) {
    if (nested_ == 0 && Wanted()) {
      structure_ = &scratch_.Next();
      fresh_ = true;
    }
    if (structure_) {
      Separate();
      structure_->push_back(bracket);
      fresh_ = true;
    }
    ++nested_;
  }

  void CloseNested(char bracket) {
    --nested_;
    if (structure_) structure_->push_back(bracket);
    fresh_ = false;
    if (nested_ > 0) return;
    if (structure_) {
      event_.Set(field_, *structure_, Form::kStructure);
      structure_ = nullptr;
    } else if (level_ == Level::kList) {
      Other();
    }
  }

  /// Writes ", " before an element unless it is the first, which the text itself cannot show.
  void Separate() {
    if (!fresh_) structure_->append(", ");
    fresh_ = false;
  }

  void AppendScalar(std::string_view text, bool key) {
    Separate();
    structure_->append(text);
    if (!key) return;
    structure_->append(": ");
    fresh_ = true;
  }

  std::string_view chunk_;
  EventReceiver* receiver_ = nullptr;  ///< Null while the text before the chunk is read.
  EventReceiver* next_receiver_ = nullptr;
  bool single_ = false;
  Level level_ = Level::kOutside;
  Field field_ = Field::kNone;
  std::uint32_t nested_ = 0;
  std::uint64_t events_ = 0;
  RawEvent event_;
  KeyMemory event_keys_;
  KeyMemory args_keys_;
  Scratch scratch_;
  std::string* structure_ = nullptr;
  bool fresh_ = true;  ///< The next element is the first after its bracket.
  std::string partial_;
};

json::parse_options Options() {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  return options;
}

}  // namespace

struct alignas(kCacheLinePair) EventParser::Impl {
  explicit Impl(Layouts which) : layouts(which) {}

  ParseEnd Parse(std::string_view chunk, EventReceiver& receiver);
  std::optional<std::size_t> ReadByParser(std::string_view chunk, std::size_t at,
                                          std::string_view before, bool single,
                                          EventReceiver& receiver, ParseEnd& end);

  Layouts layouts;
  json::basic_parser<Handler> parser{Options()};
  Skeletons skeletons;
  RawEvent event;
};

/// Reads the chunk from `at` on as if the text `before` came first. With `single`, stops behind the
/// next event and returns that position. Otherwise, or if there is no further event, reads to the
/// end or to an error, sets `end` and returns none.
std::optional<std::size_t> EventParser::Impl::ReadByParser(std::string_view chunk, std::size_t at,
                                                           std::string_view before, bool single,
                                                           EventReceiver& receiver, ParseEnd& end) {
  auto& handler = parser.handler();
  parser.reset();
  handler.Begin(chunk, single, receiver);
  json::error_code code;
  parser.write_some(true, before.data(), before.size(), code);
  handler.BeginElements();
  end.offset = at + parser.write_some(true, chunk.data() + at, chunk.size() - at, code);
  end.events += handler.events();
  if (single && code == boost::system::errc::operation_canceled) return end.offset + 1;
  if (code) {
    end.state = ParseEnd::State::kInvalid;
    end.reason = code.message();
  } else if (handler.outside()) {
    end.state = ParseEnd::State::kListEnd;
  } else if (!handler.between_events()) {
    end.state = ParseEnd::State::kInside;
  }
  return std::nullopt;
}

// Parses elements, alternating between learned layouts and the parser. `before` makes the text up
// to `at` a valid beginning: "[" at the start, "[null," after a comma. All but `,` between two
// elements is left to the parser, which finds the list's end or an error.
//
//   chunk    {known layout}, {new layout}, {known layout}, 3, ...
//   read by  Match           parser, single  Match          parser, to the chunk's end
ParseEnd EventParser::Impl::Parse(std::string_view chunk, EventReceiver& receiver) {
  ParseEnd end;
  if (layouts == Layouts::kNone) {
    ReadByParser(chunk, 0, "[", false, receiver, end);
    return end;
  }
  const auto behind_space = [&](std::size_t at) {
    while (at < chunk.size() && IsSpace(chunk[at])) ++at;
    return at;
  };
  std::string_view before = "[";
  for (std::size_t at = behind_space(0);;) {
    if (at == chunk.size()) break;
    const std::size_t length = skeletons.Match(chunk.substr(at), event);
    if (length > 0) {
      ++end.events;
      receiver.Receive(event);
      at += length;
    } else {
      // Learns a new layout from bytes that the parser accepted.
      const auto behind = ReadByParser(chunk, at, before, true, receiver, end);
      if (!behind) return end;
      if (chunk[at] == '{') skeletons.Learn(chunk.substr(at, *behind - at));
      at = *behind;
    }
    at = behind_space(at);
    if (at == chunk.size()) break;
    if (chunk[at] != ',') {
      ReadByParser(chunk, at, "[null", false, receiver, end);
      return end;
    }
    before = "[null,";
    at = behind_space(at + 1);
  }
  end.offset = chunk.size();
  return end;
}

EventParser::EventParser(Layouts layouts) : impl_(std::make_unique<Impl>(layouts)) {}
EventParser::~EventParser() = default;

ParseEnd EventParser::Parse(std::string_view chunk, EventReceiver& receiver) {
  return impl_->Parse(chunk, receiver);
}

}  // namespace profgauge::readers::kineto
