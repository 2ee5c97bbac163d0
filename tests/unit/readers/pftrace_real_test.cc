// Perfetto traces of the maintainers' collection: damaged, hostile and foreign ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "readers/load.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

const fs::path kPerfetto = fs::path(PROFGAUGE_SHARED_DIR) / "data" / "perfetto";

struct Expected {
  std::string_view file;
  std::string_view code;  ///< Empty: it is read.
  Counter counter = Counter::events_read;
  std::uint64_t least = 0, host = 0, device = 0;
};

// The meaning of expected.tsv beside the files.
constexpr Expected kExpected[] = {
    {"truncated_in_packet.pftrace", "perfetto/truncated"},
    {"truncated_at_packet.pftrace", "", Counter::events_read, 1, 160, 40},
    {"truncated_gzip.pftrace.gz", "gzip/truncated"},
    {"junk_behind.pftrace", "perfetto/damaged"},
    {"length_too_long.pftrace", "perfetto/damaged"},
    {"group_wire_type.pftrace", "", Counter::events_unreadable, 1, 160, 80},
    {"varint_of_eleven_bytes.pftrace", "", Counter::events_unreadable, 1, 160, 80},
    {"field_zero.pftrace", "", Counter::events_unreadable, 1, 160, 80},
    {"no_interned_names.pftrace", "perfetto/no-events"},
    {"three_names_missing.pftrace", "", Counter::dependencies_unresolved, 3, 160, 80},
    {"packet_loss.pftrace", "", Counter::events_dropped, 1, 0, 0},
    {"interned_twice.pftrace", "", Counter::duplicate_ids, 1, 160, 80},
    {"no_sequence.pftrace", "", Counter::events_unreadable, 1, 160, 80},
    {"ends_only.pftrace", "", Counter::events_dropped, 240, 0, 80},
    {"begins_only.pftrace", "perfetto/no-events"},
    {"end_before_begin.pftrace", "", Counter::events_dropped, 2, 160, 80},
    {"time_beyond_all.pftrace", "", Counter::events_bad_time, 1, 160, 80},
    {"unknown_clock.pftrace", "", Counter::events_bad_time, 1, 160, 80},
    {"no_tracks.pftrace", "", Counter::events_read, 1, 160, 80},
    {"tracks_in_a_circle.pftrace", "", Counter::events_read, 1, 160, 80},
    {"deep_annotation.pftrace", "", Counter::events_ignored_kind, 1, 160, 80},
    {"bomb.pftrace", "perfetto/too-large"},
    {"packets_in_packets.pftrace", "perfetto/damaged"},
    {"not_deflate.pftrace", "perfetto/damaged"},
    {"many_tracks.pftrace", "", Counter::events_read, 1, 160, 80},
    {"huge_iid.pftrace", "", Counter::events_read, 1, 160, 80},
    {"system_trace.pftrace", "input/perfetto"},
    {"track_events_of_others.pftrace", "input/perfetto"},
    {"render_stages_of_others.pftrace", "input/perfetto"},
    {"legacy_events.pftrace", "input/perfetto"},
};

TEST(PftraceReal, DamagedOnesEndAsExpected) {
  if (!fs::exists(kPerfetto)) GTEST_SKIP() << "no collected traces beside the checkout";
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kPerfetto / "malformed")) {
    files += entry.path().extension() != ".tsv";
  }
  EXPECT_EQ(files, std::size(kExpected));
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.file);
    const auto profile = ReadProfile((kPerfetto / "malformed" / expected.file).string(), {});
    if (!expected.code.empty()) {
      ASSERT_FALSE(profile);
      EXPECT_EQ(profile.error().code, expected.code);
      continue;
    }
    ASSERT_TRUE(profile) << profile.error().code << ": " << profile.error().message;
    EXPECT_GE(profile->log[expected.counter], expected.least);
    EXPECT_GE(profile->host.size() + profile->python.size(), expected.host);
    EXPECT_GE(profile->device.size() + profile->device_ranges.size(), expected.device);
    EXPECT_LE(profile->threads.size(), 4u);
  }
}

TEST(PftraceReal, ReadsRestOfTruncatedFile) {
  if (!fs::exists(kPerfetto)) GTEST_SKIP() << "no collected traces beside the checkout";
  const auto path = (kPerfetto / "malformed" / "truncated_in_packet.pftrace").string();
  const auto profile = ReadProfile(path, {.allow_incomplete = true, .progress = {}});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->log[Counter::truncated], 1u);
  EXPECT_GT(profile->device.size(), 70u);
}

TEST(PftraceReal, RefusesOtherWritersWithHelp) {
  if (!fs::exists(kPerfetto)) GTEST_SKIP() << "no collected traces beside the checkout";
  const auto refusal = [](const char* file) {
    const auto profile = ReadProfile((kPerfetto / file).string(), {});
    if (profile) return std::string("read");
    const Error& error = profile.error();
    return error.code + ": " + error.message + "; " + error.notes.front();
  };
  EXPECT_EQ(
      refusal("dialects/rocprofv3.pftrace"),
      "input/perfetto: the file is a binary trace of Perfetto by rocprofv3, which is not "
      "supported; help: pass the `*_results.db` that `rocprofv3 --sys-trace -- COMMAND` writes, "
      "or record with `--output-format json`");
  EXPECT_EQ(
      refusal("dialects/rocpd.pftrace"),
      "input/perfetto: the file is a binary trace of Perfetto by rocpd, which is not supported; "
      "help: pass the `*_results.db` that it was converted from, or record one with "
      "`rocprofv3 --sys-trace -- COMMAND`");
  EXPECT_EQ(refusal("malformed/legacy_events.pftrace"),
            "input/perfetto: the file is a binary trace of Perfetto in the form of Chrome's "
            "events, which is not supported; help: it is not a profile of a deep-learning program");
  EXPECT_EQ(refusal("malformed/render_stages_of_others.pftrace"),
            "input/perfetto: the file is a binary trace of Perfetto with render stages of no known "
            "writer, which is not supported; help: record with the framework's own profiler");
  EXPECT_EQ(refusal("malformed/system_trace.pftrace"),
            "input/perfetto: the file is a binary trace of Perfetto of a system, which is not "
            "supported; help: it is not a profile of a deep-learning program");
}

TEST(PftraceReal, ReadsTheFormOfJune2026) {
  const auto path = kPerfetto / "dialects" / "pytorch_slices_2026_06.pftrace.gz";
  if (!fs::exists(path)) GTEST_SKIP() << "no collected traces beside the checkout";
  const auto profile = ReadProfile(path.string(), {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_GT(profile->device.size(), 100u);
  EXPECT_GT(profile->host.size(), 1000u);
  EXPECT_TRUE(profile->Has(Capability::kLaunchLinks));
  EXPECT_TRUE(profile->Has(Capability::kShapes));
}

}  // namespace
}  // namespace profgauge::readers
