// Makes pieces of work in parallel and takes them one at a time in order, so that the output does
// not depend on the number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace profgauge {

/// Calls `next(piece)` until it returns false, one call at a time; `make(worker, piece)` for each
/// piece, by at most `workers` threads in parallel; and `take(piece)`, one call at a time on any
/// thread, in the order of next(). `piece` may be a reused one. If `take` returns false, next() is
/// not called again; pieces in progress are still taken. An exception of one of the three ends
/// everything and is rethrown. At most twice as many pieces as workers exist at any time.
///
///   thread 0   next(0) [ make 0 ----------- ] take(0) take(1) take(2)  next(4) ...
///   thread 1            next(1) [ make 1 - ]  next(3) [ make 3 -- ] take(3)
///   thread 2                     next(2) [ make 2 - ]
///
/// Piece 1 is ready before piece 0 and waits; the thread that completes piece 0 takes all that are
/// ready. A thread that waits for a free piece holds none, so the next piece to take is always
/// being made by a running thread: no deadlock is possible. A reused piece still has its old
/// content, so buffers stay allocated; next() and make() must overwrite all that they use.
template <class Piece>
void MakeInOrder(std::size_t workers, const std::function<bool(Piece&)>& next,
                 const std::function<void(std::size_t, Piece&)>& make,
                 const std::function<bool(Piece&)>& take) {
  std::mutex next_mutex;
  std::size_t begun = 0;
  bool is_last = false;

  std::mutex mutex;  // Guards the members below.
  std::condition_variable room;
  std::map<std::size_t, std::unique_ptr<Piece>> waiting;
  std::vector<std::unique_ptr<Piece>> spare;
  std::size_t pieces = 0, taken = 0;
  bool is_taking = false, is_stopped = false, has_failed = false;

  // Keeps threads from running far ahead of a slow piece. nullptr: no more pieces are wanted.
  const auto make_room = [&]() -> std::unique_ptr<Piece> {
    std::unique_lock lock(mutex);
    room.wait(lock, [&] { return is_stopped || !spare.empty() || pieces < 2 * workers; });
    if (is_stopped) return nullptr;
    if (spare.empty()) {
      ++pieces;
      return std::make_unique<Piece>();
    }
    auto piece = std::move(spare.back());
    spare.pop_back();
    return piece;
  };
  const auto stop = [&](bool failed) {
    const std::lock_guard lock(mutex);
    is_stopped = true;
    has_failed = has_failed || failed;
    room.notify_all();
  };
  const auto must_stop = [&] {
    const std::lock_guard lock(mutex);
    return is_stopped;
  };
  // Only one thread takes. It releases the lock during take(), so that others can leave their
  // pieces.
  const auto hand_over = [&](std::size_t index, std::unique_ptr<Piece> piece) {
    std::unique_lock lock(mutex);
    waiting.emplace(index, std::move(piece));
    if (is_taking) return;
    is_taking = true;
    while (!has_failed && !waiting.empty() && waiting.begin()->first == taken) {
      auto first = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      lock.unlock();
      const bool goes_on = take(*first);
      lock.lock();
      is_stopped = is_stopped || !goes_on;
      ++taken;
      spare.push_back(std::move(first));
      room.notify_all();
    }
    is_taking = false;
  };
  const auto work = [&](std::size_t worker) {
    while (auto piece = make_room()) {
      std::size_t index = 0;
      {
        const std::lock_guard lock(next_mutex);
        if (is_last || must_stop()) return;
        is_last = !next(*piece);
        if (is_last) return stop(false);
        index = begun++;
      }
      make(worker, *piece);
      hand_over(index, std::move(piece));
    }
  };
  ForEachAtOnce(
      workers,
      [&](std::size_t worker) {
        try {
          work(worker);
        } catch (...) {
          stop(true);
          throw;
        }
      },
      workers);
}

}  // namespace profgauge
