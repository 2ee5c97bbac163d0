// Pairs begins and ends: a Perfetto trace has both as separate packets, and an end names only its
// track.
//
// PyTorch writes groups: all begins, then as many ends in the same order. In a group, the k-th end
// belongs to the k-th begin, even if slices of one track overlap without nesting, which they do (94
// of 35 569 slices of a ResNet-50 would get another slice's end). Other writers write in the order
// of time: there, an end closes the slice of its track that began last.
//
//   file order   B 0   B 5   B 20   E 10   E 12   E 30     one track, not in the order of time
//   as a group   0 to 10, 5 to 12, 20 to 30                as they ran
//   by a stack   5 to 10, 0 to 12, 20 to 30                two are wrong
//
// Marks in the order of time are paired by the stack, even if they could be a group.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "model/profile_builder.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/paired.h"
#include "readers/kineto/pftrace/annotations.h"
#include "readers/kineto/pftrace/foreign.h"
#include "readers/kineto/pftrace/state.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers::pftrace {

// Turns the packets of a Perfetto trace into rows without times, and into marks of begins and ends.
// Times, threads and lengths are known only at the end of the trace: clocks and tracks may be
// defined after their first use, and ends may follow their begins at any distance.
//
//   packet           Decoder::Take              at the end, PlaceRows
//   TrackEvent B     row i, slices += begin i   ┐ pair: start and length of row i,
//   TrackEvent E     slices += end              ┘ its thread by the track
//   RenderStage      row k, stages += k         start by the clock, length as written

using Row = decltype(kineto::ApartRow::row);

/// The begin or end of a slice. A begin has the index of the slice's row.
struct SliceEnd {
  Stamp stamp;
  std::uint64_t track = 0;
  std::uint32_t sequence = 0, row = 0;
  bool is_begin = false;
};
/// Device work with start and length.
struct Stage {
  Stamp stamp;
  Ns duration = 0;
  std::uint32_t row = 0;
};

/// The trace's events, in file order. All rows of the trace are in memory.
struct Decoded {
  std::vector<Row> rows;  ///< Ids are the builder's.
  std::vector<SliceEnd> slices;
  std::vector<Stage> stages;
  Tracks tracks;
  Clocks clocks;
  Signs signs;
  /// Device and architecture ("sm_90") of the first kernel that has them.
  std::optional<std::pair<std::int64_t, std::string>> architecture;
  std::uint64_t packets = 0;
  bool lost_state = false;  ///< Packets were left out because they depend on missing packets.
};

/// Takes the packets of a trace in file order. A packet that cannot be read is counted in the log
/// and skipped; only Stop ends the reading.
class Decoder {
 public:
  /// `builder` receives names, counts and some rows with each packet; it must outlive this.
  explicit Decoder(ProfileBuilder& builder);
  /// The reason to stop reading the trace.
  enum class Stop : std::uint8_t { kNone, kDamaged, kNested, kTooLarge, kSystem };
  /// Reads a packet. `offset` is its position in the file, or that of the compressed packet it is
  /// in.
  Stop Take(std::string_view packet, std::uint64_t offset);
  /// Call once, after the last packet. The rows have the builder's ids.
  Decoded Finish();

 private:
  struct Packet;
  // Each function reads a message or a part of it, and returns false if the bytes are no message.
  // The packet then counts as unreadable. Views of texts are used before the next packet.
  Stop TakePlain(std::string_view bytes, std::uint64_t offset, bool is_inside);
  Stop TakeBundle(const Packet& packet, std::uint64_t offset, bool is_inside);
  bool Decode(const Packet& packet, std::uint64_t offset);
  Sequence* SequenceOf(std::uint64_t number);
  void UpdateState(const Packet& packet, Sequence& sequence, std::uint64_t offset);
  bool ReadDefaults(std::string_view message, Sequence& sequence);
  bool Intern(std::string_view message, Sequence& sequence);
  bool InternOne(Table table, std::string_view message, Sequence& sequence);
  bool ReadConfig(std::string_view message);
  bool ReadStats(std::string_view message);
  bool ReadSlice(std::string_view message, Stamp stamp, std::uint64_t writer,
                 const Sequence& sequence);
  bool ReadStage(std::string_view message, Stamp stamp, const Sequence& sequence);
  bool ReadExtra(std::string_view message);
  bool ReadLaunch(std::string_view message, const Sequence& sequence);
  bool ReadArgument(std::string_view message, const Sequence& sequence);
  std::string_view CategoryByArguments(std::string_view name) const;
  std::string_view NameOf(std::optional<std::string_view> found, std::uint64_t iid);
  std::optional<std::string_view> Find(const Sequence& sequence, Table table, std::uint64_t iid);
  std::uint32_t Receive(std::string_view category, std::string_view name);
  void CountArguments();
  void Merge();

  ProfileBuilder& builder_;
  Decoded decoded_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> sequence_ids_;
  std::deque<Sequence> sequences_;     ///< They stay where they are: views refer to their texts.
  Sequence* last_sequence_ = nullptr;  ///< The sequence of the previous packet, and its number.
  std::uint64_t last_number_ = 0;
  kineto::EventSink sink_;
  kineto::Rows rows_;
  kineto::PairedEvents made_;
  kineto::Traces traces_;
  kineto::RawEvent event_;
  Annotations arguments_;
  std::string scratch_, digits_;
  /// The meaning of the texts of a stage.
  struct Extra {
    bool has_device = false, has_stream = false;
    std::int64_t device = -1;
    std::string_view architecture;
  } extra_;
  std::uint32_t received_ = 0;
  std::uint64_t interned_bytes_ = 0;
  bool too_large_ = false;
};

}  // namespace profgauge::readers::pftrace
