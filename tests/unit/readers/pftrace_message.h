// Perfetto traces for tests, as PyTorch writes them, packet by packet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "proto_message.h"
#include "readers/kineto/pftrace/pftrace_reader.h"

namespace profgauge::readers::pftrace_message {

/// Unix time at which the traces begin.
inline constexpr std::uint64_t kBase = 1'700'000'000'000'000'000;
inline constexpr std::uint64_t kCleared = 1, kNeeds = 2;
/// Tracks: the process, its threads, the profiler's own process.
inline constexpr std::uint64_t kProcess = 1, kMain = 2, kOther = 3;

inline ProtoMessage Event(std::uint64_t time, std::uint64_t flags = 0, std::uint64_t sequence = 1) {
  ProtoMessage packet;
  packet.Number(8, kBase + time).Number(10, sequence);
  if (flags != 0) packet.Number(13, flags);
  return packet;
}

inline ProtoMessage Begin(std::uint64_t track, std::uint64_t name, std::uint64_t category) {
  ProtoMessage event;
  event.Number(9, 1).Number(11, track).Number(10, name);
  if (category != 0) event.Number(3, category);
  return event;
}
inline ProtoMessage End(std::uint64_t track) {
  return ProtoMessage().Number(9, 2).Number(11, track);
}

/// Packets in a row.
class TraceText {
 public:
  TraceText& Packet(const ProtoMessage& packet) {
    bytes_ += ProtoMessage().Sub(1, packet).str();
    return *this;
  }
  TraceText& Clock() {
    ProtoMessage snapshot;
    for (const std::uint64_t clock : {6, 1}) {
      snapshot.Sub(1, ProtoMessage().Number(1, clock).Number(2, kBase));
    }
    return Packet(ProtoMessage().Number(8, kBase).Number(10, 1).Sub(6, snapshot));
  }
  TraceText& Threads() {
    Packet(ProtoMessage().Sub(
        60,
        ProtoMessage().Number(1, kProcess).Sub(3, ProtoMessage().Number(1, 7).Bytes(6, "train"))));
    for (const auto& [uuid, tid] : {std::pair(kMain, 7), std::pair(kOther, 8)}) {
      const ProtoMessage thread =
          ProtoMessage().Number(1, 7).Number(2, static_cast<std::uint64_t>(tid)).Bytes(5, "python");
      Packet(ProtoMessage().Sub(60,
                                ProtoMessage().Number(1, uuid).Number(5, kProcess).Sub(4, thread)));
    }
    return *this;
  }
  /// Interned data: names and categories from 1 on, kinds of stages as PyTorch has them.
  TraceText& Interned(const std::vector<std::string>& names,
                      const std::vector<std::string>& categories) {
    ProtoMessage data;
    const auto put = [&](std::uint32_t table, const std::vector<std::string>& texts) {
      std::uint64_t iid = 0;
      for (const std::string& text : texts) {
        data.Sub(table, ProtoMessage().Number(1, ++iid).Bytes(2, text));
      }
    };
    put(2, names);
    put(1, categories);
    put(24, {"Kernel", "Memcpy", "Memset", "Annotation"});
    put(1001, {"registers_per_thread", "shared_mem_dynamic"});
    return Packet(ProtoMessage().Number(10, 1).Number(13, kCleared).Sub(12, data));
  }
  TraceText& Slice(const ProtoMessage& begin, std::uint64_t start, std::uint64_t end,
                   std::uint64_t track = kMain) {
    Packet(Event(start, kNeeds).Sub(11, begin));
    return Packet(Event(end).Sub(11, End(track)));
  }
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

/// A kernel of 40 ns on stream 7, that call 11 launched.
inline ProtoMessage Kernel(std::uint64_t name) {
  const auto size = [](std::uint64_t x) {
    return ProtoMessage().Number(1, x).Number(2, 1).Number(3, 1);
  };
  ProtoMessage launch;
  launch.Sub(1, size(24)).Sub(2, size(128)).Sub(3, ProtoMessage().Number(1, 1).Number(4, 32));
  launch.Sub(3, ProtoMessage().Number(1, 2).Number(4, 4096));
  ProtoMessage stage;
  stage.Number(1, 1).Number(2, 40).Number(11, 0).Number(14, 1).Number(20, name).Sub(21, launch);
  for (const auto& [key, value] : {std::pair("device id", "0"), std::pair("stream id", "7"),
                                   std::pair("correlation", "11"), std::pair("arch", "sm_90")}) {
    stage.Sub(6, ProtoMessage().Bytes(1, key).Bytes(2, value));
  }
  return stage;
}

/// An operator, its call and its kernel.
inline TraceText OneKernel() {
  TraceText text;
  text.Clock().Threads().Interned({"aten::mm", "cudaLaunchKernel", "gemm"},
                                  {"cpu_op", "cuda_runtime"});
  const auto dims = [](std::vector<int> sizes) {
    ProtoMessage list;
    for (const int size : sizes) {
      list.Sub(12, ProtoMessage().Number(4, static_cast<std::uint64_t>(size)));
    }
    return list;
  };
  ProtoMessage shapes;
  shapes.Bytes(10, "Input Dims").Sub(12, dims({32, 3})).Sub(12, dims({}));
  text.Slice(Begin(kMain, 1, 1).Sub(4, shapes), 100, 200);
  text.Slice(Begin(kMain, 2, 2).Sub(4, ProtoMessage().Bytes(10, "correlation").Number(4, 11)), 120,
             130);
  text.Packet(Event(150, kNeeds).Sub(53, Kernel(3)));
  return text;
}

inline Result<Profile> ReadPftrace(const std::string& bytes, bool allow_incomplete = false) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(bytes)));
  return readers::MakePftraceReader()->Read(*source,
                                            {.allow_incomplete = allow_incomplete, .progress = {}});
}

}  // namespace profgauge::readers::pftrace_message
