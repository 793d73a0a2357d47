#include "tools/stowage/output/table.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stowage::cli {
namespace {

constexpr char kGap[] = "  ";

// Returns how many characters of UTF-8 the cell has.
size_t Width(const std::string& cell) {
  return std::count_if(cell.begin(), cell.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

std::string Padded(const std::string& cell, size_t width) {
  const std::string padding(width - Width(cell), ' ');
  const bool numeric =
      !cell.empty() && std::isdigit(static_cast<unsigned char>(cell.front()));
  return numeric ? padding + cell : cell + padding;
}

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string Table::ToText() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, i == 0 ? "" : kGap, Padded(row[i], widths[i]));
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

}  // namespace stowage::cli
