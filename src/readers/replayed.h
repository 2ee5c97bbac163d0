// A stream whose first bytes can be examined before it is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/error.h"
#include "readers/detect.h"

namespace profgauge::readers {

/// Passes on the examined first bytes when the stream is read, so a pipe is read like a file.
///
///   source   |==== head, at most kSniffBytes ====|=========== the rest ===========|
///   Peek()   read once, kept
///   Read()   copied from the head                  read from the source, with progress
///
/// Progress is reported from the first read after the head.
class Replayed final : public ByteSource {
 public:
  /// Reads nothing yet. Progress will be reported to `options`.
  Replayed(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : source_(std::move(source)), progress_(options.progress) {}

  /// The first kSniffBytes bytes, or all if there are fewer; valid as long as this object. Read()
  /// repeats a read error. REQUIRES: called at most once, before Read().
  std::span<const std::byte> Peek() {
    head_.resize(kSniffBytes);
    std::size_t have = 0;
    while (have < head_.size()) {
      auto got = source_->Read(std::span(head_).subspan(have));
      if (!got) failed_ = std::move(got).error();
      if (!got || *got == 0) break;
      have += *got;
    }
    head_.resize(have);
    return head_;
  }

  const std::string& name() const override { return source_->name(); }
  bool compressed() const override { return source_->compressed(); }
  std::uint64_t stored_bytes() const override { return source_->stored_bytes(); }
  std::uint64_t stored_consumed() const override { return source_->stored_consumed(); }
  Result<std::size_t> Read(std::span<std::byte> out) override {
    if (given_ < head_.size()) {
      const auto count = std::min(out.size(), head_.size() - given_);
      std::memcpy(out.data(), head_.data() + given_, count);
      given_ += count;
      return count;
    }
    if (failed_) return Fail(*failed_);
    if (progress_) progress_({name(), stored_consumed(), stored_bytes()});
    return source_->Read(out);
  }
  /// The error that stopped reading the head, if any.
  const std::optional<Error>& failed() const { return failed_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::function<void(const ReadProgress&)> progress_;
  std::vector<std::byte> head_;
  std::size_t given_ = 0;
  std::optional<Error> failed_;
};

}  // namespace profgauge::readers
