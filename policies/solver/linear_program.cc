#include "policies/solver/linear_program.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stowage::policies {
namespace {

bool Within(double value, double lower, double upper, double tolerance) {
  return value >= lower - tolerance * std::max(1.0, std::abs(lower)) &&
         value <= upper + tolerance * std::max(1.0, std::abs(upper));
}

bool KeepsColumn(const Column& column, double value, double tolerance) {
  if (column.integer && std::abs(value - std::round(value)) > tolerance) {
    return false;
  }
  return Within(value, column.lower, column.upper, tolerance);
}

}  // namespace

int AddColumn(LinearProgram& program, Column column) {
  program.columns.push_back(column);
  return static_cast<int>(program.columns.size()) - 1;
}

int AddRow(LinearProgram& program, Row row) {
  program.rows.push_back(std::move(row));
  return static_cast<int>(program.rows.size()) - 1;
}

double ObjectiveOf(const LinearProgram& program,
                   const std::vector<double>& values) {
  double objective = program.constant;
  for (size_t c = 0; c < program.columns.size(); ++c) {
    objective += program.columns[c].cost * values[c];
  }
  return objective;
}

bool IsFeasible(const LinearProgram& program, const std::vector<double>& values,
                double tolerance) {
  if (values.size() != program.columns.size()) return false;
  for (size_t c = 0; c < program.columns.size(); ++c) {
    if (!KeepsColumn(program.columns[c], values[c], tolerance)) return false;
  }
  return std::all_of(program.rows.begin(), program.rows.end(),
                     [&](const Row& row) {
                       double sum = 0;
                       for (const Term& term : row.terms) {
                         sum += term.coefficient * values[term.column];
                       }
                       return Within(sum, row.lower, row.upper, tolerance);
                     });
}

}  // namespace stowage::policies
