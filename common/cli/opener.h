// SPDX-License-Identifier: Apache-2.0
//
// Opens what is offered to a reader at a terminal, and waits until it is closed.
//
//   open_offer(next.offers.front());   // the lesson in $PAGER, a query in $EDITOR, or the quiz
//
// One thread.
#pragma once

#include "common/workbook/lab/leading.h"

namespace tracebook {

/// Runs the offer's program, or the reader's pager ($PAGER, less, more) or editor ($VISUAL,
/// $EDITOR, nano, vim, vi), on our terminal. Its exit code is its own affair. InputError if it
/// cannot be started, or if there is none.
void open_offer(const Offer& offer);

}  // namespace tracebook
