#include "lexical/edit_distance.h"

#include <algorithm>
#include <cstdlib>

namespace sheaf {

int EditDistance(std::string_view a, std::string_view b, int limit) {
  const int n = int(a.size()), m = int(b.size());
  const int far = limit + 1;
  if (a.size() > kMaxEditLength || b.size() > kMaxEditLength || std::abs(n - m) > limit) return far;

  // Three rows of the matrix: i - 2, i - 1, i; column j holds the distance of a[0..i) and b[0..j).
  int rows[3][kMaxEditLength + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= m; ++j) last[j] = j <= limit ? j : far;
  for (int i = 1; i <= n; ++i) {
    const int from = std::max(1, i - limit), to = std::min(m, i + limit);
    std::fill(row, row + m + 1, far);
    if (i <= limit) row[0] = i;
    int best = row[0];
    for (int j = from; j <= to; ++j) {
      const int substitution = last[j - 1] + (a[size_t(i - 1)] != b[size_t(j - 1)]);
      int d = std::min({substitution, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[size_t(i - 1)] == b[size_t(j - 2)] && a[size_t(i - 2)] == b[size_t(j - 1)]) {
        d = std::min(d, before[j - 2] + 1);
      }
      row[j] = std::min(d, far);
      best = std::min(best, row[j]);
    }
    if (best > limit) return far;
    int* recycled = before;
    before = last;
    last = row;
    row = recycled;
  }
  return std::min(last[m], far);
}

}  // namespace sheaf
