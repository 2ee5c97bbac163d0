// Pieces of work that several threads make side by side, and that are taken one at a time in their
// order: what comes out does not depend on the number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.h"

namespace profgauge {

/// Calls `make(worker, i, piece)` once for each i below `count`, by at most `workers` threads, and
/// `take(piece)` for each in the order of i, on any of them. `piece` may be one that was taken
/// before. Ends early where `take` says false, or throws what `make` or `take` throws. Pieces that
/// wait to be taken are at most twice as many as workers.
template <class Piece>
void MakeInOrder(std::size_t count, std::size_t workers,
                 const std::function<void(std::size_t, std::size_t, Piece&)>& make,
                 const std::function<bool(Piece&)>& take) {
  std::mutex mutex;
  std::condition_variable turn;
  std::map<std::size_t, std::unique_ptr<Piece>> waiting;
  std::vector<std::unique_ptr<Piece>> spare;
  std::size_t made = 0, taken = 0;
  bool is_taking = false, is_ended = false;

  const auto hand_over = [&](std::size_t index, std::unique_ptr<Piece> piece) {
    std::unique_lock lock(mutex);
    turn.wait(lock, [&] { return is_ended || index < taken + 2 * workers; });
    waiting.emplace(index, std::move(piece));
    if (is_taking) return;
    is_taking = true;
    while (!is_ended && !waiting.empty() && waiting.begin()->first == taken) {
      std::unique_ptr<Piece> next = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      lock.unlock();
      const bool goes_on = take(*next);
      lock.lock();
      is_ended = is_ended || !goes_on;
      ++taken;
      spare.push_back(std::move(next));
      turn.notify_all();
    }
    is_taking = false;
  };
  const auto work = [&](std::size_t worker) {
    for (;;) {
      std::unique_lock lock(mutex);
      if (is_ended || made == count) return;
      const std::size_t index = made++;
      std::unique_ptr<Piece> piece;
      if (!spare.empty()) {
        piece = std::move(spare.back());
        spare.pop_back();
      }
      lock.unlock();
      if (!piece) piece = std::make_unique<Piece>();
      make(worker, index, *piece);
      hand_over(index, std::move(piece));
    }
  };
  ForEachAtOnce(
      workers,
      [&](std::size_t worker) {
        try {
          work(worker);
        } catch (...) {
          const std::lock_guard lock(mutex);
          is_ended = true;
          turn.notify_all();
          throw;
        }
      },
      workers);
}

}  // namespace profgauge
