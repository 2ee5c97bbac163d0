#include "readers/run_side/times_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/text.h"
#include "model/profile_builder.h"
#include "model/run_side.h"
#include "readers/detect.h"
#include "readers/run_side/document.h"
#include "readers/run_side/step_log.h"
#include "readers/run_side/times_forms.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers {
namespace {

std::string_view TextOf(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

bool IsOwnDocument(std::string_view head) {
  const JsonShape shape = ShapeOfJson(head);
  return shape.is_object && shape.Has("schema") && !shape.Has("traceEvents") &&
         (shape.Has("segments") || shape.Has("batches"));
}

/// Text of any kind: other bytes below 32 than those of white space occur in no log.
bool IsText(std::string_view head) {
  return !head.empty() && std::none_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 && !IsSpace(c) && c != '\x1b' && c != '\b' &&
           c != '\f';
  });
}

bool IsEventsFile(std::string_view head) { return Contains(head.substr(0, 64), "brain.Event:"); }

Result<std::string> ReadAll(ByteSource& source) {
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 18);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), got);
    if (text.size() > kMostLogBytes) {
      const TimesForm* form = FormOfLog(std::string_view(text).substr(0, kSniffBytes));
      return Fail(InputError(source.name(), "run/too-large",
                             fmt::format("over {} MiB of text", kMostLogBytes >> 20),
                             fmt::format("pass only the lines with times: `grep -F \"{}\" FILE > "
                                         "times.log`",
                                         form == nullptr ? "WORDS" : form->sign)));
    }
  }
}

std::size_t ValuesIn(const RunDocument& document) {
  std::size_t single = 0;
  for (const StepSegment& segment : document.segments) single += segment.lengths.size();
  return std::max(single, document.batches.size());
}

class TimesReader final : public Reader {
 public:
  std::string_view name() const override { return kTimesFormat; }
  std::string_view expected() const override {
    return "times without a profile: profgauge.run, logs of Megatron-LM and NeMo, CSV, JSON lines, "
           "benchmarks, load tests";
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text = WithoutByteOrderMark(TextOf(head));
    if (IsOwnDocument(text)) return Match::kYes;
    const TimesForm* form = FormOfHead(text);
    // Names of benchmarks may be any: such a document can be of something else.
    if (form != nullptr && !form->keys.starts_with("{}")) return Match::kYes;
    // Before other signs of a training's log: what started it, or the libraries' own lines.
    if (IsText(text) && FormOfLog(text) != nullptr && !text.starts_with('{')) return Match::kYes;
    // JSON shows at once what it is; Parquet may have no other byte than those of text.
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    if (text.starts_with("PAR1") || (is_json && !LooksLikeTimes(text))) return Match::kNo;
    return IsText(text) || IsEventsFile(text) ? Match::kMaybe : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(const std::string text, ReadAll(source));
    const bool is_chosen = options.step_times.file == source.name();
    auto times = ReadTimes(text, is_chosen ? options.step_times : StepTimesInput());
    if (!times) {
      Error error = std::move(times).error();
      const bool is_other = !is_chosen && IsOfAnother(error, text);
      if (is_other) return Fail(UnknownFile(source.name(), text.substr(0, kSniffBytes)));
      error.where.file = source.name();
      return Fail(std::move(error));
    }
    if (times->document && ValuesIn(*times->document) < kLeastTimes) {
      const std::size_t count = ValuesIn(*times->document);
      return Fail(InputError(
          source.name(), "run/few-values",
          fmt::format("{} time{}: {} are needed", count, count == 1 ? "" : "s", kLeastTimes),
          "record more steps"));
    }
    return ProfileOf(*std::move(times), source, text);
  }

 private:
  /// Whether the text has no sign of times: then it is any file, and the error is of that.
  static bool IsOfAnother(const Error& error, const std::string& text) {
    if (LooksLikeTimes(text)) return false;
    return error.code == "run/no-times" || error.code == "usage/step-column" ||
           error.code == "usage/step-unit";
  }

  static Result<Profile> ProfileOf(TimesFile times, ByteSource& source, const std::string& text) {
    ProfileBuilder builder;
    Source& out = builder.source();
    out.path = source.name();
    out.format = kTimesFormat;
    out.dialect = times.form;
    out.bytes = text.size();
    out.is_of_any_program = true;
    ContentHash hash;
    hash.Add(text);
    out.hash = hash.Hex();
    auto side = std::make_shared<RunSide>();
    side->carrier = RunCarrier::kItself;
    side->document = std::move(times.document);
    side->benchmarks = std::move(times.benchmarks);
    side->load_test = std::move(times.load_test);
    for (const std::string& note : times.notes) {
      side->note += (side->note.empty() ? "" : "; ") + note;
    }
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    profile.has_timeline = false;
    if (side->document) {
      profile.distributed.rank = side->document->rank;
      profile.distributed.world_size = side->document->world_size;
      side->problems = LeftOutOf(*side->document);
    }
    profile.run_side = std::move(side);
    return profile;
  }
};

}  // namespace

// A first line with the number of a step among others, in a table or as a key.
bool LooksLikeTimes(std::string_view head) {
  head = WithoutByteOrderMark(head.substr(0, kSniffBytes));
  if (IsOwnDocument(head) || FormOfHead(head) != nullptr || FormOfLog(head) != nullptr ||
      IsEventsFile(head)) {
    return true;
  }
  const JsonShape shape = ShapeOfJson(head);
  if (shape.is_object) {
    return !shape.Has("traceEvents") &&
           std::any_of(shape.keys.begin(), shape.keys.end(), [](std::string_view key) {
             return IsStepTimeName(key) || IsStepNumberName(key);
           });
  }
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.size() == head.size() || line.find_first_of(",;\t") == line.npos) return false;
  std::size_t at = 0;
  while (at <= line.size()) {
    const std::size_t end = std::min(line.find_first_of(",;\t\r", at), line.size());
    std::string_view cell = line.substr(at, end - at);
    if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
    if (IsStepNumberName(cell) || IsStepTimeName(cell)) return true;
    at = end + 1;
  }
  return false;
}

std::unique_ptr<Reader> MakeTimesReader() { return std::make_unique<TimesReader>(); }

}  // namespace profgauge::readers
