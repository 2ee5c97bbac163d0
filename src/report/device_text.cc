#include "report/device_text.h"

#include "model/device_words.h"

namespace profgauge::report {

std::string TextFor(std::string_view accelerator, std::string_view text) {
  return InDeviceWords(text, DeviceWordsOf(FindAccelerator(accelerator)));
}

std::string TextFor(const ProfileInfo& profile, std::string_view text) {
  return TextFor(profile.accelerator, text);
}

}  // namespace profgauge::report
