// SPDX-License-Identifier: Apache-2.0
#include "common/trace/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "common/trace/error.h"

namespace tracebook {
namespace {

constexpr unsigned char kGzipFirst = 0x1f;
constexpr unsigned char kGzipSecond = 0x8b;

class FileSource : public ByteSource {
 public:
  /// Takes over `descriptor`.
  FileSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
      total_ = static_cast<std::uint64_t>(status.st_size);
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size) {
      const ssize_t count = ::read(descriptor_, into + filled, size - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw InputError(name_ + ": cannot be read: " + std::strerror(errno));
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    done_ += filled;
    return filled;
  }
  [[nodiscard]] std::uint64_t done() const override { return done_; }
  [[nodiscard]] std::uint64_t total() const override { return total_; }

 private:
  int descriptor_;
  std::string name_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - done_);
    if (count > 0) std::memcpy(into, text_.data() + done_, count);
    done_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t done() const override { return done_; }
  [[nodiscard]] std::uint64_t total() const override { return text_.size(); }

 private:
  std::string_view text_;
  std::size_t done_ = 0;
};

/// A source some bytes of which were read ahead, to see what they are.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> below) : below_(std::move(below)) {
    ahead_.resize(kAhead);
    ahead_.resize(below_->read(ahead_.data(), kAhead));
  }
  [[nodiscard]] std::string_view ahead() const { return ahead_; }

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t first = std::min(size, ahead_.size());
    std::memcpy(into, ahead_.data(), first);
    ahead_.erase(0, first);
    return first + below_->read(into + first, size - first);
  }
  [[nodiscard]] std::uint64_t done() const override { return below_->done() - ahead_.size(); }
  [[nodiscard]] std::uint64_t total() const override { return below_->total(); }

 private:
  static constexpr std::size_t kAhead = 4;
  std::unique_ptr<ByteSource> below_;
  std::string ahead_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> below)
      : below_(std::move(below)), input_(kInputBytes) {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { ::inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size && !ended_) {
      if (stream_.avail_in == 0 && !refill()) {
        if (between_members_) {
          ended_ = true;
        } else {
          stop("the gzip data ends inside a member");
        }
        break;
      }
      if (between_members_ && !begin_member()) continue;
      filled += inflate_into(into + filled, size - filled);
    }
    return filled;
  }
  [[nodiscard]] std::uint64_t done() const override { return below_->done() - stream_.avail_in; }
  [[nodiscard]] std::uint64_t total() const override { return below_->total(); }
  [[nodiscard]] const SourceTrouble* trouble() const override {
    return trouble_.says.empty() ? nullptr : &trouble_;
  }
  [[nodiscard]] bool has_trailing_bytes() const override { return trailing_bytes_; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{256} << 10U;

  bool refill() {
    const std::size_t count = below_->read(input_.data(), input_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }

  void stop(std::string says) {
    trouble_ = {std::move(says), done()};
    ended_ = true;
  }

  /// Whether a member begins here; steps over zero bytes, and ends the text at any other.
  bool begin_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (*stream_.next_in != kGzipFirst) {
      trailing_bytes_ = true;
      ended_ = true;
      return false;
    }
    ::inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  std::size_t inflate_into(char* into, std::size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    stream_.avail_out = room;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      stop("the gzip data is damaged");
    }
    return room - stream_.avail_out;
  }

  std::unique_ptr<ByteSource> below_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = false;
  bool ended_ = false;
  bool trailing_bytes_ = false;
  SourceTrouble trouble_;
};

/// Decodes gzip; says of what other compressors write that it cannot be read.
std::unique_ptr<ByteSource> decoded(std::unique_ptr<ByteSource> raw, const std::string& name) {
  auto peeked = std::make_unique<PeekedSource>(std::move(raw));
  const std::string_view ahead = peeked->ahead();
  constexpr char kGzip[] = {static_cast<char>(kGzipFirst), static_cast<char>(kGzipSecond)};
  if (ahead.substr(0, 2) == std::string_view(kGzip, 2)) {
    return std::make_unique<GzipSource>(std::move(peeked));
  }
  const std::pair<std::string_view, const char*> others[] = {
      {"\x28\xB5\x2F\xFD", "zstd"}, {"\xFD\x37zX", "xz"}, {"BZh", "bzip2"}, {"PK\x03\x04", "zip"}};
  for (const auto& [magic, what] : others) {
    if (ahead.starts_with(magic)) {
      throw InputError(name + ": is compressed with " + what + "; expected JSON, plain or gzip");
    }
  }
  return peeked;
}

}  // namespace

std::unique_ptr<ByteSource> open_byte_source(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (name == "-") {
    return decoded(std::make_unique<FileSource>(STDIN_FILENO, "standard input"), "standard input");
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(name + ": is a folder; expected a trace file (.json or .json.gz)");
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw InputError(name + ": cannot be read: " + std::strerror(errno) +
                     "; expected a trace file (.json or .json.gz)");
  }
  return decoded(std::make_unique<FileSource>(descriptor, name), name);
}

std::unique_ptr<ByteSource> text_byte_source(std::string_view text, std::string_view name) {
  return decoded(std::make_unique<TextSource>(text), std::string(name));
}

}  // namespace tracebook
