#include "base/gather.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sheaf {
namespace gather_test {

Error Damage() { return Error{ErrorCode::kCorrupt, "damaged"}; }

TEST(Gather, OfNothingIsComplete) {
  const Gather gather;
  EXPECT_TRUE(gather.complete());
  EXPECT_TRUE(gather.status().ok());
}

TEST(Gather, TakesTheValuesThatAreThere) {
  using Box = std::unique_ptr<std::string>;
  Gather gather;
  Box value;
  ASSERT_TRUE(gather.Take(Result<Box>(std::make_unique<std::string>("read")), &value).ok());
  EXPECT_EQ(*value, "read");
  EXPECT_TRUE(gather.Note(Status()).ok());
  EXPECT_TRUE(gather.complete());
  EXPECT_TRUE(gather.status().ok());
}

TEST(Gather, GoesOnWhereBytesAreMissingAndRemembersIt) {
  Gather gather;
  std::string first = "untouched", second;
  EXPECT_TRUE(gather.Take(Result<std::string>(NeedsBytes()), &first).ok());
  EXPECT_EQ(first, "untouched");
  EXPECT_FALSE(gather.complete());
  EXPECT_TRUE(gather.Take(Result<std::string>("there"), &second).ok());
  EXPECT_EQ(second, "there");
  EXPECT_FALSE(gather.complete()) << "a later read that succeeds brings no bytes of an earlier one";
  EXPECT_EQ(gather.status().code(), ErrorCode::kNeedsBytes);
}

TEST(Gather, RemembersMissingBytesOfReadsWithoutAValue) {
  Gather of_status, of_result;
  EXPECT_TRUE(of_status.Note(Status(NeedsBytes())).ok());
  EXPECT_TRUE(of_result.Note(Result<int>(NeedsBytes())).ok());
  EXPECT_EQ(of_status.status().code(), ErrorCode::kNeedsBytes);
  EXPECT_EQ(of_result.status().code(), ErrorCode::kNeedsBytes);
}

TEST(Gather, PassesOtherErrorsOnWithTheirMessage) {
  Gather gather;
  int value = 7;
  ASSERT_TRUE(gather.Note(Status(NeedsBytes())).ok());
  for (const Status& status : {gather.Note(Status(Damage())), gather.Note(Result<int>(Damage())),
                               gather.Take(Result<int>(Damage()), &value)}) {
    ASSERT_EQ(status.code(), ErrorCode::kCorrupt);
    EXPECT_EQ(status.error().message, "damaged");
  }
  EXPECT_EQ(value, 7);
}

TEST(Gather, DamageIsNoLackOfBytes) {
  Gather gather;
  EXPECT_FALSE(gather.Note(Status(Damage())).ok());
  EXPECT_TRUE(gather.complete());
  EXPECT_FALSE(LacksBytes(Status(Damage())));
  EXPECT_FALSE(LacksBytes(Status()));
  EXPECT_FALSE(LacksBytes(Result<int>(1)));
  EXPECT_TRUE(LacksBytes(Result<int>(NeedsBytes())));
}

}  // namespace gather_test
}  // namespace sheaf
