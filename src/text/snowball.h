// Snowball's runtime. Its header has no guard, so it is included through this one alone.
#ifndef SHEAF_TEXT_SNOWBALL_H_
#define SHEAF_TEXT_SNOWBALL_H_

#include "api.h"

#endif  // SHEAF_TEXT_SNOWBALL_H_
