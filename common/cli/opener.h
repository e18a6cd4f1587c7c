// SPDX-License-Identifier: Apache-2.0
//
// Opens what is offered to a reader at a terminal, and waits until it is closed.
//
//   open_offer(next.offers.front());   // a query in $EDITOR, or the quiz
//   show_in_pager(text);               // in $PAGER, less or more
//
// One thread.
#pragma once

#include <string>

#include "common/workbook/lab/leading.h"

namespace tracebook {

/// Runs the offer's program, or the reader's editor ($VISUAL, $EDITOR, nano, vim, vi), on our
/// terminal. Its exit code is its own affair. InputError if it cannot be started, or if there is
/// none.
void open_offer(const Offer& offer);

/// Shows the text in the reader's pager ($PAGER, less, more), or prints it where there is none.
/// InputError if the pager cannot be started.
void show_in_pager(const std::string& text);

/// Does the pager show escape sequences of bold text as such?
bool pager_shows_bold();

}  // namespace tracebook
