// SPDX-License-Identifier: Apache-2.0
#include "common/trace/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ranges>
#include <system_error>

#include "common/trace/error.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kEveryone = 0666;  // less the umask
constexpr mode_t kPermissionBits = 07777;

std::string words_of(int error) { return std::generic_category().message(error); }

/// Two writers, in this process or another, never share a name.
fs::path name_beside(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  fs::path beside = target;
  beside += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  return beside;
}

}  // namespace

NewFile::NewFile(const fs::path& path) : path_(path), target_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw InputError(path.string() + ": cannot be written: is a folder; expected a file name");
  }
  if (!path.has_filename()) {
    throw InputError("\"" + path.string() + "\": cannot be written: expected a file name");
  }
  if (fs::is_symlink(path, error)) {
    target_ = fs::weakly_canonical(path, error);
    if (error) fail(error.value());
  }
  const bool replaced = fs::is_regular_file(status) || !fs::exists(status);
  if (replaced) beside_ = name_beside(target_);
  try {
    if (replaced) make_folders();
    open();
  } catch (...) {
    // No destructor runs for an object that was never finished.
    for (const fs::path& folder : made_folders_ | std::views::reverse) fs::remove(folder, error);
    throw;
  }
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (beside_.empty()) return;
  std::error_code ignored;
  fs::remove(beside_, ignored);
  for (const fs::path& folder : made_folders_ | std::views::reverse) fs::remove(folder, ignored);
}

void NewFile::make_folders() {
  std::error_code error;
  fs::path missing = target_.parent_path();
  std::vector<fs::path> wanted;
  while (!missing.empty() && !fs::exists(missing, error)) {
    wanted.push_back(missing);
    missing = missing.parent_path();
  }
  for (const fs::path& folder : wanted | std::views::reverse) {
    // Not made, and no error: someone else was faster, and it is theirs.
    if (fs::create_directory(folder, error)) made_folders_.push_back(folder);
    if (error) {
      throw InputError(path_.string() + ": cannot be written: cannot make the folder " +
                       folder.string() + ": " + error.message());
    }
  }
}

void NewFile::open() {
  const fs::path& place = beside_.empty() ? target_ : beside_;
  const int flags = beside_.empty() ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL;
  descriptor_ = ::open(place.c_str(), flags | O_CLOEXEC, kEveryone);
  if (descriptor_ < 0) fail(errno);
}

void NewFile::fail(int error) const {
  throw InputError(path_.string() + ": cannot be written: " + words_of(error));
}

void NewFile::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t count = ::write(descriptor_, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    piece.remove_prefix(static_cast<std::size_t>(count));
  }
}

void NewFile::commit() {
  if (!beside_.empty()) {
    struct stat before {};
    if (::stat(target_.c_str(), &before) == 0) {
      // Best effort: a file system without permissions still takes the content.
      static_cast<void>(::fchmod(descriptor_, before.st_mode & kPermissionBits));
    }
    // Some file systems find out only now that they are full. Others cannot sync: EINVAL.
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void write_file(const fs::path& path, std::string_view content) {
  NewFile file(path);
  file.write(content);
  file.commit();
}

std::string read_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOENT) throw InputError(path.string() + ": no such file");
    throw InputError(path.string() + ": cannot be read: " + words_of(error));
  }
  std::string content;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0 && S_ISREG(status.st_mode)) {
    content.reserve(static_cast<std::size_t>(status.st_size));
  }
  std::array<char, std::size_t{1} << 16> buffer;
  int error = 0;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      content.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      if (count < 0) error = errno;
      break;
    }
  }
  ::close(descriptor);
  if (error == EISDIR) throw InputError(path.string() + ": is a folder; expected a file");
  if (error != 0) throw InputError(path.string() + ": cannot be read: " + words_of(error));
  return content;
}

std::string encoding_fault(std::string_view content) {
  if (content.size() < 2) return "";
  const bool marked = content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF");
  // An ASCII character is a zero byte and its own.
  const bool has_zero = (content[0] == '\0') != (content[1] == '\0');
  return marked || has_zero ? "the file is UTF-16; save it as UTF-8" : "";
}

}  // namespace tracebook
