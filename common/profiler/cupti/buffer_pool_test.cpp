// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/buffer_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

namespace tracebook {
namespace {

constexpr std::size_t kBytes = 64 * 1024;

bool all_zero(const std::uint8_t* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::uint8_t byte) { return byte == 0; });
}

TEST(BufferPool, HandsBackWhatWasCompletedInOrder) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes});
  std::uint8_t* first = pool.take();
  std::uint8_t* second = pool.take();
  second[0] = 2;
  first[0] = 1;
  pool.complete(second, 10);
  pool.complete(first, 20);
  std::vector<std::pair<int, std::size_t>> seen;
  pool.for_each_completed([&](std::span<const std::uint8_t> records) {
    seen.emplace_back(records[0], records.size());
  });
  EXPECT_EQ(seen, (std::vector<std::pair<int, std::size_t>>{{2, 10}, {1, 20}}));
  EXPECT_EQ(pool.stats().requests, 2);
  EXPECT_EQ(pool.stats().unprepared, 0);
  EXPECT_EQ(pool.stats().completed, 2);
  EXPECT_EQ(pool.stats().record_bytes, 30);
  pool.for_each_completed([](std::span<const std::uint8_t>) { FAIL(); });
}

TEST(BufferPool, ZeroesWhatItReuses) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes, .mode = BufferMode::kZeroed});
  std::uint8_t* buffer = pool.take();
  ASSERT_TRUE(all_zero(buffer, kBytes));
  std::memset(buffer, 0xFF, kBytes);
  pool.complete(buffer, 100);  // CUPTI may have written behind the records it completed
  pool.for_each_completed([](std::span<const std::uint8_t>) {});
  EXPECT_EQ(pool.take(), buffer);  // the last one in is the first out: its pages are warm
  EXPECT_TRUE(all_zero(buffer, kBytes));
}

TEST(BufferPool, TouchedBuffersAreReusedAsTheyAre) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes, .mode = BufferMode::kTouched});
  std::uint8_t* buffer = pool.take();
  buffer[5] = 7;
  pool.complete(buffer, 100);
  pool.for_each_completed([](std::span<const std::uint8_t>) {});
  EXPECT_EQ(pool.take(), buffer);
  EXPECT_EQ(buffer[5], 7);
}

TEST(BufferPool, FreshBuffersAreNewPages) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes, .mode = BufferMode::kFresh});
  std::set<std::uint8_t*> buffers;
  for (int i = 0; i < 4; ++i) {
    std::uint8_t* buffer = pool.take();
    EXPECT_TRUE(all_zero(buffer, kBytes));
    buffer[0] = 1;
    EXPECT_TRUE(buffers.insert(buffer).second);
  }
  for (std::uint8_t* buffer : buffers) pool.complete(buffer, 1);
  pool.for_each_completed([](std::span<const std::uint8_t>) {});
  EXPECT_EQ(pool.take()[0], 0);
}

TEST(BufferPool, GoesOnWhenNothingIsPreparedAndSaysSo) {
  BufferPool pool;
  constexpr std::size_t kLarge = std::size_t{32} << 20;  // two are prepared
  pool.prepare({.bytes = kLarge});
  pool.take();
  pool.take();
  EXPECT_EQ(pool.stats().unprepared, 0);
  std::uint8_t* third = pool.take();
  EXPECT_EQ(pool.stats().unprepared, 1);
  EXPECT_EQ(third[kLarge - 1], 0);
  pool.reset_stats();
  EXPECT_EQ(pool.stats().requests, 0);
}

TEST(BufferPool, ChangesSizeBetweenWindows) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes});
  std::uint8_t* old = pool.take();
  pool.prepare({.bytes = 4 * kBytes});
  EXPECT_EQ(pool.buffer_bytes(), 4 * kBytes);
  pool.take()[4 * kBytes - 1] = 1;
  pool.complete(old, 5);
  std::size_t seen = 0;
  pool.for_each_completed([&](std::span<const std::uint8_t> records) { seen = records.size(); });
  EXPECT_EQ(seen, 5);
  for (int i = 0; i < 10; ++i) pool.take()[4 * kBytes - 1] = 1;  // none of the old size
}

TEST(BufferPool, GivesBuffersBackIfTheirReaderThrows) {
  BufferPool pool;
  pool.prepare({.bytes = kBytes});
  std::uint8_t* buffer = pool.take();
  pool.complete(buffer, 1);
  EXPECT_THROW(pool.for_each_completed(
                   [](std::span<const std::uint8_t>) { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(pool.take(), buffer);
}

}  // namespace
}  // namespace tracebook
