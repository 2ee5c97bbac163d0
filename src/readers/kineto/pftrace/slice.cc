// Begins and ends of slices: TrackEvent.
#include <fmt/format.h>

#include "readers/kineto/pftrace/decoder.h"
#include "readers/text/wire.h"

namespace profgauge::readers::pftrace {

// A number without a text is counted.
std::optional<std::string_view> Decoder::Find(const Sequence& sequence, Table table,
                                              std::uint64_t iid) {
  auto found = sequence.interned.Find(table, iid);
  if (!found) {
    builder_.log().AddAt(Counter::dependencies_unresolved,
                         fmt::format("the text of number {}", iid));
  }
  return found;
}

// "name#7" where the text of number 7 is lost: the event still happened.
std::string_view Decoder::NameOf(std::optional<std::string_view> found, std::uint64_t iid) {
  if (found) return *found;
  scratch_ = fmt::format("name#{}", iid);
  return scratch_;
}

// The slice's fields in any order; without a category, its arguments decide
// its kind.
bool Decoder::ReadSlice(std::string_view message, Stamp stamp, std::uint64_t writer,
                        const Sequence& sequence) {
  enum Type : std::uint64_t { kBegin = 1, kEnd = 2 };
  SliceEnd end{stamp, sequence.track, static_cast<std::uint32_t>(writer)};
  std::uint64_t type = 0;
  std::string_view name, category;
  arguments_.Begin();
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 3:
        if (category.empty()) {
          category = Find(sequence, Table::kCategories, fields.Varint()).value_or("");
        }
        break;
      case 4:
        if (!arguments_.Read(fields.Bytes(), sequence.interned)) return false;
        break;
      case 6:
        decoded_.signs.legacy = true;
        break;
      case 9:
        type = fields.Varint();
        break;
      case 10:
        name = NameOf(Find(sequence, Table::kNames, fields.Varint()), fields.Varint());
        break;
      case 11:
        end.track = fields.Varint();
        break;
      case 22:
        if (category.empty()) category = fields.Bytes();
        decoded_.signs.SeeCategory(fields.Bytes());
        break;
      case 23:
        name = fields.Bytes();
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return false;
  // Instants, counters and states.
  if (type != kBegin && type != kEnd) {
    builder_.log().Add(Counter::events_ignored_kind);
    return true;
  }
  end.is_begin = type == kBegin;
  if (end.is_begin) {
    CountArguments();
    const ArgumentSigns& signs = arguments_.signs();
    decoded_.signs.sizes_as_text |= signs.has_sizes_as_text;
    decoded_.signs.device_slices |= category.empty() && signs.has_device && signs.has_stream &&
                                    signs.has_context && signs.has_correlation && !signs.is_sync;
    if (category.empty()) category = CategoryByArguments(name);
    end.row = Receive(category, name);
  }
  decoded_.slices.push_back(end);
  return true;
}

// Released versions write no category for synchronization and overhead; heads of June 2026 for
// nothing, and there an annotation of PyTorch's own has a # in its name.
std::string_view Decoder::CategoryByArguments(std::string_view name) const {
  const ArgumentSigns& signs = arguments_.signs();
  if (signs.has_call_id) return "cuda_runtime";
  if (signs.is_sync) return "cuda_sync";
  if (signs.is_frame) return "python_function";
  if (signs.has_device && signs.has_stream) {
    if (name == "Memcpy") return "gpu_memcpy";
    if (name == "Memset") return "gpu_memset";
    return signs.has_grid ? "kernel" : "cuda_sync";
  }
  if (decoded_.signs.pytorch_categories) return "overhead";
  return name.find('#') != name.npos ? "user_annotation" : "cpu_op";
}

void Decoder::CountArguments() {
  auto& log = builder_.log();
  if (arguments_.left_out() > 0) {
    log.Add(Counter::events_ignored_kind, arguments_.left_out() - 1);
    log.AddAt(Counter::events_ignored_kind,
              fmt::format("an argument that is nested over {} levels deep, or one of more than {}",
                          kDeepest, kMostAnnotations));
  }
  log.Add(Counter::dependencies_unresolved, arguments_.missing());
}

}  // namespace profgauge::readers::pftrace
