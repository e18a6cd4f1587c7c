// SPDX-License-Identifier: Apache-2.0
//
// Says when one of a few files has been saved: in place, by a new file under its name, or for the
// first time.
//
//   FileWatcher watcher(WatchBy::kEvents);
//   watcher.watch(files);
//   poll({{watcher.descriptor(), POLLIN, 0}, …}, kLookInterval);   // -1 where there are no events
//   for (const auto& file : watcher.changed()) …
//
// On Linux the kernel tells of changes in the files' folders; everywhere, the files are looked at
// each time that `changed` is called, because some file systems (of other machines, of containers'
// hosts) tell nothing. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace tracebook {

enum class WatchBy : std::uint8_t { kEvents, kLooking };

/// How often to call FileWatcher::changed where nothing has told of a change.
inline constexpr std::chrono::milliseconds kLookInterval{1000};

class FileWatcher {
 public:
  explicit FileWatcher(WatchBy by);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Watches these files too, there or not. They count as unchanged now.
  void watch(const std::vector<std::filesystem::path>& files);

  /// Readable when something has happened beside a watched file; -1 without events.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// The files that were saved, made, replaced or removed since the last call. Never waits.
  std::vector<std::filesystem::path> changed();

 private:
  /// What a file is known by; all zero for none.
  struct Stamp {
    std::int64_t time_ns = 0;
    std::uint64_t size = 0;
    std::uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);
  void listen();
  std::set<std::filesystem::path> told();

  int descriptor_ = -1;
  std::map<std::filesystem::path, Stamp> files_;
  std::map<int, std::filesystem::path> folders_;  // by what the kernel calls them
};

}  // namespace tracebook
