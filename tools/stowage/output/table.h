// A table of text for terminals and logs.
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

  // Missing cells are empty; surplus ones are dropped.
  void AddRow(std::vector<std::string> cells);

  // Columns two spaces apart, aligned left, cells that begin with a digit
  // right; no trailing spaces. Widths count characters of UTF-8.
  std::string ToText() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first one is the header
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_TABLE_H_
