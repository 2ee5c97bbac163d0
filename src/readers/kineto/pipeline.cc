#include "readers/kineto/pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "readers/kineto/repair.h"

namespace profgauge::readers::kineto {
namespace {

constexpr unsigned kMaxThreads = 32;

using Slot = std::unique_ptr<Parsed>;

class Pipeline {
 public:
  Pipeline(Input& input, Fraction fraction, unsigned threads,
           const std::function<bool(Parsed&)>& take)
      : input_(input), fraction_(fraction), threads_(threads), take_(take) {}

  void Run() {
    // Workers outlive the merge: rows hold views into their strings.
    for (unsigned i = 0; i < threads_; ++i) workers_.push_back(std::make_unique<Worker>(fraction_));
    std::vector<std::thread> others;
    others.reserve(threads_);
    for (unsigned i = 1; i < threads_; ++i) {
      try {
        others.emplace_back([this, i] { Work(*workers_[i]); });
      } catch (const std::exception&) {
        break;  // Where no thread can be had, or no memory for one, fewer do the work.
      }
    }
    Work(*workers_[0]);
    for (auto& thread : others) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void Work(Worker& worker) {
    try {
      for (Slot slot = Spare();; slot = Spare()) {
        const auto index = ReadNext(*slot);
        if (index == kNone) return;
        ParseChunk(worker, *slot);
        HandOver(index, std::move(slot));
      }
    } catch (...) {
      const std::lock_guard lock(order_mutex_);
      failure_ = std::current_exception();
      stop_ = true;
      turn_.notify_all();
    }
  }

  Slot Spare() {
    const std::lock_guard lock(order_mutex_);
    if (spare_.empty()) return std::make_unique<Parsed>();
    Slot slot = std::move(spare_.back());
    spare_.pop_back();
    return slot;
  }

  /// Reads the next chunk; its number, or kNone when there is none.
  std::uint64_t ReadNext(Parsed& parsed) {
    const std::lock_guard lock(read_mutex_);
    if (read_all_ || Stopped()) return kNone;
    NextChunk(input_, parsed.chunk);
    read_all_ = parsed.chunk.last;
    return read_++;
  }

  bool Stopped() {
    const std::lock_guard lock(order_mutex_);
    return stop_;
  }

  /// Takes the chunk when it is its turn, with all that wait behind it; else leaves it waiting.
  /// Does not run far ahead of a slow chunk.
  void HandOver(std::uint64_t index, Slot slot) {
    std::unique_lock lock(order_mutex_);
    turn_.wait(lock, [&] { return failure_ || index < taken_ + 2 * threads_; });
    if (failure_) return;
    waiting_.emplace(index, std::move(slot));
    if (taking_) return;
    taking_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == taken_ && !failure_) {
      Slot next = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      const bool more = take_(*next);
      lock.lock();
      if (!more) stop_ = true;
      ++taken_;
      spare_.push_back(std::move(next));
      turn_.notify_all();
    }
    taking_ = false;
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  Input& input_;
  Fraction fraction_;
  unsigned threads_;
  const std::function<bool(Parsed&)>& take_;
  std::vector<std::unique_ptr<Worker>> workers_;

  std::mutex read_mutex_;
  std::uint64_t read_ = 0;
  bool read_all_ = false;

  std::mutex order_mutex_;
  std::condition_variable turn_;
  std::map<std::uint64_t, Slot> waiting_;
  std::vector<Slot> spare_;
  std::uint64_t taken_ = 0;
  bool taking_ = false;
  bool stop_ = false;
  std::exception_ptr failure_;
};

}  // namespace

void ParseChunk(Worker& worker, Parsed& parsed) {
  parsed.rows.Clear();
  worker.sink.Begin(parsed.rows);
  parsed.end = worker.parser.Parse(parsed.chunk.text, worker.sink);
  const bool cut_short = parsed.end.state == ParseEnd::State::kInside && parsed.chunk.last;
  parsed.repaired = cut_short || parsed.end.state == ParseEnd::State::kInvalid;
  if (!parsed.repaired) return;
  parsed.bad_offset = parsed.chunk.OffsetOf(parsed.end.offset);
  parsed.bad_reason = parsed.end.reason;
  parsed.end = RepairChunk(parsed.chunk, worker.parser, worker.sink, parsed.rows);
}

void ParseInOrder(Input& input, Fraction fraction, unsigned threads,
                  const std::function<bool(Parsed&)>& take) {
  Pipeline(input, fraction, std::clamp(threads, 1U, kMaxThreads), take).Run();
}

}  // namespace profgauge::readers::kineto
