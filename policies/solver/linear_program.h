// Describes a mixed-integer linear program: minimise a linear cost of columns
// within their bounds, subject to rows.
//
//   LinearProgram program;
//   const int x = AddColumn(program, {.cost = -3, .integer = true});
//   const int y = AddColumn(program, {.cost = -2, .integer = true});
//   AddRow(program, {.upper = 1, .terms = {{x, 1}, {y, 1}}});  // x + y <= 1
//
// Plain data, freely copied.
#ifndef STOWAGE_POLICIES_SOLVER_LINEAR_PROGRAM_H_
#define STOWAGE_POLICIES_SOLVER_LINEAR_PROGRAM_H_

#include <limits>
#include <utility>
#include <vector>

namespace stowage::policies {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Column {
  double lower = 0;
  double upper = 1;
  double cost = 0;
  bool integer = false;
};

struct Term {
  int column = 0;
  double coefficient = 0;
};

// States lower <= sum of terms <= upper. A column stands in at most one term of
// a row.
struct Row {
  double lower = -kUnbounded;
  double upper = kUnbounded;
  std::vector<Term> terms;
};

struct LinearProgram {
  std::vector<Column> columns;
  std::vector<Row> rows;
  double constant = 0;  // added to the cost
};

// Return the index of what they added.
int AddColumn(LinearProgram& program, Column column);
int AddRow(LinearProgram& program, Row row);

// Returns the cost of `values`, one for each column.
double ObjectiveOf(const LinearProgram& program,
                   const std::vector<double>& values);

// Returns whether `values` keep all bounds, rows and integrality, up to
// `tolerance` relative to each bound's size.
bool IsFeasible(const LinearProgram& program, const std::vector<double>& values,
                double tolerance = 1e-6);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SOLVER_LINEAR_PROGRAM_H_
