// Formats tables of text for terminals and logs.
//
//   Table table({"policy", "step"});
//   table.AddRow({"belady", "1.72 s"});
//   std::cout << table.ToText();
//
// Not thread-safe.
#ifndef STOWAGE_TOOLS_STOWAGE_OUTPUT_TABLE_H_
#define STOWAGE_TOOLS_STOWAGE_OUTPUT_TABLE_H_

#include <string>
#include <vector>

namespace stowage::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // Adds a row. Missing cells are empty; surplus ones are dropped.
  void AddRow(std::vector<std::string> cells);

  // Returns the table. Columns are two spaces apart. Cells that begin with a
  // digit are aligned right, others left. There are no trailing spaces. Widths
  // count characters of UTF-8.
  std::string ToText() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first one is the header
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_TABLE_H_
