#include "readers/kineto/pftrace/scrub.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/kineto/pftrace/packets.h"
#include "readers/kineto/pftrace/state.h"
#include "readers/kineto/raw_event.h"
#include "readers/text/wire_copy.h"

namespace profgauge::readers::pftrace {
namespace {

/// The name given to arguments that are left out. Events may still refer to the name's number.
constexpr std::string_view kLeftOut = "left out";
/// Arguments by which the decoder recognizes an event's kind, and arguments of stages.
constexpr std::string_view kSigns[] = {
    "cbid",      "context",        "cuda_sync_kind", "device id",
    "stream id", "workgroup_size", "arch",           "registers_per_thread"};

bool IsKeptArgument(std::string_view name) {
  if (kineto::ArgsField(name) < kineto::Field::kCount_) return true;
  return std::find(std::begin(kSigns), std::end(kSigns), name) != std::end(kSigns);
}

bool Is(std::uint32_t field, std::initializer_list<std::uint32_t> of) {
  return std::find(of.begin(), of.end(), field) != of.end();
}

/// Copies packets in order, because texts have numbers that earlier packets define. Field numbers:
/// decoder.cc, placing.cc, pairing.cc, state.cc, annotations.cc. A field that the decoder does not
/// read is not copied: in a later writer's file it may hold anything. The switch of each message
/// has the same numbers as the decoder's.
class PacketCopier {
 public:
  explicit PacketCopier(const Rename& rename) : rename_(rename) {}

  /// False if the packet is no message, or bundles packets that are damaged.
  bool Take(std::string_view bytes) {
    std::string_view bundle;
    Codec codec = Codec::kDeflate;
    Each(bytes, [&](const WireReader& field, std::string_view) {
      if (field.field() == 10) sequence_ = field.Varint();
      if (!Is(field.field(), {50, 133})) return;
      bundle = field.Bytes();
      codec = field.field() == 50 ? Codec::kDeflate : Codec::kZstd;
    });
    if (bundle.data() == nullptr) {
      out_.Bytes(1, Packet(bytes));
      return ok_;
    }
    const BundleEnd end =
        Unpack(bundle, codec, [&](std::string_view inner) { return Take(inner); });
    return ok_ && end == BundleEnd::kWhole;
  }
  std::string TakeBytes() { return out_.Take(); }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  template <class Use>
  void Each(std::string_view message, Use use) {
    ok_ = ForEachWireField(message, use) && ok_;
  }
  /// Copies only these fields of the message, unchanged.
  std::string Only(std::string_view message, std::initializer_list<std::uint32_t> kept) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (Is(field.field(), kept)) out.Raw(raw);
    });
    return out.Take();
  }
  /// Copies only the field `kept`, a message, which `of` converts.
  template <class Of>
  std::string Inside(std::string_view message, std::uint32_t kept, Of of) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view) {
      if (field.field() == kept) out.Bytes(kept, of(field.Bytes()));
    });
    return out.Take();
  }
  std::string Name(std::string_view text) const { return CopiedName(text, rename_); }

  // Copies texts first, since the packet that uses a text may also define it.
  std::string Packet(std::string_view bytes) {
    WireWriter out;
    Each(bytes, [&](const WireReader& field, std::string_view) {
      if (field.field() == 12) out.Bytes(12, InternedData(field.Bytes()));
    });
    Each(bytes, [&](const WireReader& field, std::string_view raw) {
      const std::string_view message = field.Bytes();
      switch (field.field()) {
        case 6:  // Clocks and their times.
        case 8:
        case 10:
        case 13:
        case 41:
        case 42:
        case 58:
          return out.Raw(raw);
        case 11:
          return out.Bytes(11, Slice(message));
        case 33:
          return out.Bytes(33, Inside(message, 2, [&](auto source) {
                             return Inside(source, 1,
                                           [&](auto config) { return Only(config, {1}); });
                           }));
        case 35:
          return out.Bytes(35, Inside(message, 1, [&](auto of) { return Only(of, {3, 18}); }));
        case 53:
          return out.Bytes(53, Stage(message));
        case 59:
          return out.Bytes(59, Defaults(message));
        case 60:
          return out.Bytes(60, Descriptor(message));
        default:
          return;
      }
    });
    return out.Take();
  }

  std::string Defaults(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 58) out.Raw(raw);
      if (field.field() == 11) out.Bytes(11, Only(field.Bytes(), {11}));
    });
    return out.Take();
  }

  /// Copies the descriptor without the command line of the process.
  std::string Descriptor(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (Is(field.field(), {1, 5})) out.Raw(raw);
      if (Is(field.field(), {2, 10, 13})) out.Bytes(field.field(), Name(field.Bytes()));
      if (Is(field.field(), {3, 4}))
        out.Bytes(field.field(), Owner(field.Bytes(), field.field() == 3));
    });
    return out.Take();
  }

  std::string Owner(std::string_view message, bool is_process) {
    const std::uint32_t name = is_process ? 6 : 5;
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 1 || (field.field() == 2 && !is_process)) out.Raw(raw);
      if (field.field() == name && field.is_bytes()) out.Bytes(name, Name(field.Bytes()));
    });
    return out.Take();
  }

  std::string InternedData(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      switch (static_cast<Table>(field.field())) {
        case Table::kCategories:
          return out.Raw(raw);
        case Table::kNames:
        case Table::kKernels:
          return out.Bytes(field.field(), Text(field.Bytes(), true));
        case Table::kAnnotationNames:
        case Table::kArguments:
          return out.Bytes(field.field(), ArgumentName(field.Bytes(), field.field()));
        case Table::kSpecifications:
          return out.Bytes(field.field(), Text(field.Bytes(), false));
        case Table::kTexts:  // Texts are copied to the places of their use.
          return Keep(field.Bytes());
        default:
          return;
      }
    });
    return out.Take();
  }

  std::string Text(std::string_view message, bool is_name) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 1) out.Raw(raw);
      if (!Is(field.field(), {2, 3}) || (field.field() == 3 && !is_name)) return;
      out.Bytes(field.field(), is_name ? Name(field.Bytes()) : WithoutPaths(field.Bytes()));
    });
    return out.Take();
  }

  // Keeps the number, since arguments that are left out may refer to it.
  std::string ArgumentName(std::string_view message, std::uint32_t table) {
    std::uint64_t iid = 0;
    std::string_view name;
    Each(message, [&](const WireReader& field, std::string_view) {
      if (field.field() == 1) iid = field.Varint();
      if (field.field() == 2) name = field.Bytes();
    });
    const std::string kept(IsKeptArgument(name) ? name : kLeftOut);
    if (static_cast<Table>(table) == Table::kAnnotationNames) names_[{sequence_, iid}] = kept;
    WireWriter out;
    out.Number(1, iid);
    out.Bytes(2, kept);
    return out.Take();
  }

  // Gives each kept argument its own copy of a numbered text, because the text may also belong to
  // arguments that are left out.
  void Keep(std::string_view message) {
    std::uint64_t iid = 0;
    std::string_view text;
    Each(message, [&](const WireReader& field, std::string_view) {
      if (field.field() == 1) iid = field.Varint();
      if (field.field() == 2) text = field.Bytes();
    });
    texts_[{sequence_, iid}] = text;
  }

  std::string Slice(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (Is(field.field(), {3, 9, 10, 11, 22})) out.Raw(raw);
      if (field.field() == 4) out.Bytes(4, Argument(field.Bytes(), {}));
      if (field.field() == 23) out.Bytes(23, Name(field.Bytes()));
    });
    return out.Take();
  }

  /// Copies a DebugAnnotation. `outer`: the name of the annotation of which it is an element.
  std::string Argument(std::string_view message, std::string outer) {
    Each(message, [&](const WireReader& field, std::string_view) {
      if (!outer.empty()) return;
      if (field.field() == 10) outer = field.Bytes();
      if (field.field() == 1) outer = FindOr(names_, field.Varint(), kLeftOut);
    });
    const bool is_kept = IsKeptArgument(outer);
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      switch (field.field()) {
        case 1:
          return out.Raw(raw);
        case 10:
          return out.Bytes(10, IsKeptArgument(field.Bytes()) ? field.Bytes() : kLeftOut);
        case 2:
        case 3:
        case 4:
        case 5:
        case 7:
          if (is_kept) out.Raw(raw);
          return;
        case 6:
        case 9:
          if (is_kept) out.Bytes(field.field(), ValueText(outer, field.Bytes()));
          return;
        case 17:
          if (!is_kept) return;
          if (const auto found = texts_.find({sequence_, field.Varint()}); found != texts_.end()) {
            return out.Bytes(6, ValueText(outer, found->second));
          }
          return out.Raw(raw);
        case 11:
        case 12:
          if (is_kept) out.Bytes(field.field(), Argument(field.Bytes(), outer));
          return;
        default:
          return;
      }
    });
    return out.Take();
  }

  std::string ValueText(std::string_view argument, std::string_view text) const {
    return kineto::IsNameArgument(argument) ? Name(text) : WithoutPaths(text);
  }

  // Copies only fields that the decoder reads: not the lane, the context and ids.
  std::string Stage(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (Is(field.field(), {2, 11, 14, 19, 20})) out.Raw(raw);
      if (field.field() == 6) Extra(field.Bytes(), out);
      if (field.field() == 17) out.Bytes(17, Name(field.Bytes()));
      if (field.field() == 21) out.Bytes(21, Launch(field.Bytes()));
    });
    return out.Take();
  }

  void Extra(std::string_view message, WireWriter& to) {
    std::string_view name;
    Each(message, [&](const WireReader& field, std::string_view) {
      if (field.field() == 1) name = field.Bytes();
    });
    if (!IsKeptArgument(name)) return;
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (field.field() == 1) out.Raw(raw);
      if (field.field() == 2) out.Bytes(2, ValueText(name, field.Bytes()));
    });
    to.Bytes(6, out.Take());
  }

  // Copies grid and block unchanged, and the kept arguments, which have a name or a number.
  std::string Launch(std::string_view message) {
    WireWriter out;
    Each(message, [&](const WireReader& field, std::string_view raw) {
      if (Is(field.field(), {1, 2})) out.Raw(raw);
      if (field.field() != 3) return;
      WireWriter argument;
      Each(field.Bytes(), [&](const WireReader& part, std::string_view of) {
        if (Is(part.field(), {1, 3, 4})) argument.Raw(of);
        if (part.field() == 2) {
          argument.Bytes(2, IsKeptArgument(part.Bytes()) ? part.Bytes() : kLeftOut);
        }
      });
      out.Bytes(3, argument.Take());
    });
    return out.Take();
  }

  using Texts = boost::unordered_flat_map<Key, std::string>;
  std::string FindOr(const Texts& texts, std::uint64_t iid, std::string_view otherwise) const {
    const auto found = texts.find({sequence_, iid});
    return found == texts.end() ? std::string(otherwise) : found->second;
  }

  const Rename& rename_;
  Texts names_, texts_;  ///< Texts of arguments, by sequence and number.
  std::uint64_t sequence_ = 0;
  WireWriter out_;
  bool ok_ = true;
};

}  // namespace

Result<std::string> ScrubPackets(ByteSource& source, const Rename& rename) {
  PacketReader reader(source);
  PacketCopier copier(rename);
  bool is_whole = true;
  while (is_whole && reader.Next()) is_whole = copier.Take(reader.packet());
  if (is_whole && !reader.damaged() && !reader.truncated() && !reader.error()) {
    return copier.TakeBytes();
  }
  return Fail(InputErrorAt(source.name(), reader.offset(), "scrub/damaged",
                           "the trace is truncated or damaged", "copy the file again"));
}

}  // namespace profgauge::readers::pftrace
