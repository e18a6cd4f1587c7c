// SPDX-License-Identifier: Apache-2.0
//
// Reads the list of events, window by window: the strict and fast way as far as it goes, and event
// by event through the tolerant scanner where it refuses. Part of the reader. One thread.
//
//   EventList list(context);
//   if (list.read() == ListEnd::kClosed) …   // what follows belongs to the object around it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/trace/reader_context.h"
#include "common/trace/window_parser.h"

namespace tracebook {

enum class ListEnd : std::uint8_t {
  kClosed,  ///< by its bracket, or by the brace of the object around it
  kEndOfFile,
};

class EventList {
 public:
  explicit EventList(ReaderContext& context) : context_(context), window_(context.window) {}

  /// From behind the opening bracket to behind the closing one. InputError where the file is cut.
  ListEnd read();

 private:
  enum class Progress : std::uint8_t { kGoOn, kClosed, kEndOfFile };

  Progress read_window();
  WindowResult parse(std::size_t size);
  Progress read_tolerantly(std::size_t size);
  Progress end_of_file();
  void read_comma();
  Progress read_element();
  bool add_clean(std::string_view clean);
  Progress resume_behind_broken();
  void note_unused_comma();

  ReaderContext& context_;
  TextWindow& window_;
  WindowParser parser_;
  std::string padded_;
  bool after_event_ = false;
  bool comma_waits_ = false;  // for an event behind it
  std::uint64_t comma_offset_ = 0;
};

}  // namespace tracebook
