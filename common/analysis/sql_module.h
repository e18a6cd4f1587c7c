// SPDX-License-Identifier: Apache-2.0
//
// Shows a SqlTable to SQLite as a read-only virtual table of the same name.
//
//   SqlTable table = …;
//   show_table(connection, table);   // SELECT … FROM kernel
//
// The table must outlive the connection. Includers need sqlite3.h only to make a connection.
#pragma once

#include "common/analysis/sql_table.h"

struct sqlite3;

namespace tracebook {

/// InputError if SQLite has no memory left.
void show_table(sqlite3* connection, SqlTable& table);

}  // namespace tracebook
