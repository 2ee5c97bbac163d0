// What a later room works out of a rank, and several analyses ask for.
#pragma once

#include <memory>
#include <mutex>

namespace profgauge::analysis::iterations {

/// One thing of one rank, made when it is first asked for; several threads may ask. A copy shares
/// it. The room that makes it has the only function that asks, as breakdown::WaitsOf().
class Kept {
 public:
  /// `make()` returns a `T`, the same type in all calls.
  template <class T, class Make>
  const T& Of(Make make) const {
    std::call_once(state_->is_made, [&] { state_->made = std::make_shared<const T>(make()); });
    return *static_cast<const T*>(state_->made.get());
  }

 private:
  struct State {
    std::once_flag is_made;
    std::shared_ptr<const void> made;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace profgauge::analysis::iterations
