// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/file_watcher.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

namespace tracebook {

namespace fs = std::filesystem;

FileWatcher::Stamp FileWatcher::stamp_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
#ifdef __APPLE__
  const timespec time = status.st_mtimespec;
#else
  const timespec time = status.st_mtim;
#endif
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec,
          static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_ino)};
}

FileWatcher::FileWatcher([[maybe_unused]] WatchBy by) {
#ifdef __linux__
  // Without events (a limit of the system's is reached), looking is enough.
  if (by == WatchBy::kEvents) descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
}

FileWatcher::~FileWatcher() {
  if (descriptor_ >= 0) close(descriptor_);
}

void FileWatcher::watch(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) files_.try_emplace(file.lexically_normal(), stamp_of(file));
  listen();
}

/// The folders, not the files: an editor may put a new file in the place of the old one.
void FileWatcher::listen() {
#ifdef __linux__
  if (descriptor_ < 0) return;
  for (const auto& [file, stamp] : files_) {
    const fs::path folder = file.parent_path();
    const bool known = std::any_of(folders_.begin(), folders_.end(),
                                   [&](const auto& entry) { return entry.second == folder; });
    if (known) continue;
    constexpr std::uint32_t kEvents =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE;
    const int number = inotify_add_watch(descriptor_, folder.c_str(), kEvents);
    if (number >= 0) folders_[number] = folder;  // a folder that is not there yet: next time
  }
#endif
}

/// The watched files that the kernel says were closed after writing or moved to their place: a
/// stamp may be the same as before if its clock is coarse.
std::set<fs::path> FileWatcher::told() {
  std::set<fs::path> out;
#ifdef __linux__
  if (descriptor_ < 0) return out;
  alignas(inotify_event) char buffer[4096];
  for (ssize_t size = read(descriptor_, buffer, sizeof buffer); size > 0;
       size = read(descriptor_, buffer, sizeof buffer)) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      const char* const name = buffer + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {  // the folder is gone
        folders_.erase(folder);
        continue;
      }
      const bool saved = (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0;
      if (!saved || event.len == 0) continue;
      const fs::path file = folder->second / name;
      if (files_.contains(file)) out.insert(file);
    }
  }
#endif
  return out;
}

std::vector<fs::path> FileWatcher::changed() {
  std::set<fs::path> out = told();
  for (auto& [file, stamp] : files_) {
    const Stamp now = stamp_of(file);
    if (now != stamp) out.insert(file);
    stamp = now;
  }
  listen();
  return {out.begin(), out.end()};
}

}  // namespace tracebook
