// SPDX-License-Identifier: Apache-2.0
//
// The views of a trace, column by column. docs/views.md describes them to users; a test holds the
// two together.
//
//   SqlModel model(trace, structure);
//   for (auto& view : make_views(model)) show_table(connection, *view);
//
// The model must outlive the views. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "common/analysis/sql_model.h"
#include "common/analysis/sql_table.h"

namespace tracebook {

using SqlView = std::unique_ptr<SqlTable>;

/// All views, in the order in which docs/views.md describes them.
std::vector<SqlView> make_views(SqlModel& model);

// The parts, by source file.
SqlView step_view(SqlModel& model);
SqlView counter_view(SqlModel& model);
SqlView average_view(SqlModel& model);
SqlView info_view(SqlModel& model);
/// The columns of `kernel` that come from the launch's shape or the copy's size.
void add_kernel_shape(SqlTable& table, SqlModel& model);

}  // namespace tracebook
