#include "spodnet/train/sample_source.hpp"
#include "spodnet/train/epoch_ahead.hpp"

#include <gtest/gtest.h>

#include "support/toy_data.hpp"

namespace spodnet {
namespace {

const DataSetOptions kShapes{.p = {2, 8}, .n = {3, 40}, .count = 6, .seed = 9, .first_index = 100};

std::vector<double> numbers(std::span<const Sample> samples) {
  std::vector<double> all;
  for (const Sample& sample : samples) {
    all.push_back(sample.n);
    all.insert(all.end(), sample.S, sample.S + sample.p * sample.p);
    all.insert(all.end(), sample.Theta_true, sample.Theta_true + sample.p * sample.p);
  }
  return all;
}

TEST(FreshSamples, EveryEpochIsNewAndTheSameWheneverItIsAskedFor) {
  ThreadPool one(1), two(2);
  FreshSamples forward(kShapes), backward(kShapes);
  const std::vector<double> first = numbers(forward.epoch(0, one));
  const std::vector<double> second = numbers(forward.epoch(1, one));
  EXPECT_NE(first, second);
  EXPECT_EQ(numbers(backward.epoch(1, two)), second);
  EXPECT_EQ(numbers(backward.epoch(0, two)), first);
}

/// Made ahead of time or not, in any order: the same matrices, which stay while they are in use.
TEST(EpochAhead, TheMatricesAreTheSources) {
  ThreadPool pool(2);
  FreshSamples source(kShapes), reference(kShapes);
  EpochAhead ahead(source, 6);
  for (const std::uint64_t epoch : {0u, 1u, 2u, 4u, 5u, 3u}) {
    const std::span<const Sample> got = ahead.epoch(epoch, pool);
    const std::span<const Sample> expected = reference.epoch(epoch, pool);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_EQ(got[k].p, expected[k].p);
      const std::size_t size = got[k].p * got[k].p;
      EXPECT_TRUE(std::equal(got[k].S, got[k].S + size, expected[k].S)) << epoch;
      EXPECT_TRUE(std::equal(got[k].Theta_true, got[k].Theta_true + size, expected[k].Theta_true));
    }
  }
  GivenSamples given(reference.epoch(0, pool));
  EXPECT_EQ(EpochAhead(given, 3).epoch(2, pool).data(), given.epoch(0, pool).data());
}

TEST(FreshSamples, EpochsFollowEachOtherInTheSeedsSequence) {
  ThreadPool pool(1);
  FreshSamples source(kShapes);
  DataSetOptions all = kShapes;
  all.count = 18;
  const MixedDataSet sequence = generate_mixed(all, pool, CovarianceFrom::wishart);
  const std::vector<Sample> expected = samples(sequence);
  for (std::uint64_t epoch : {0, 1, 2})
    EXPECT_EQ(numbers(source.epoch(epoch, pool)),
              numbers(std::span(expected).subspan(6 * epoch, 6)));
}

TEST(FreshSamples, SomeOfThemAreTheSameAndShapesOfAllAreKnown) {
  ThreadPool pool(2);
  FreshSamples all(kShapes), some(kShapes), shapes(kShapes);
  const auto whole = all.epoch(1, pool);
  const std::vector<char> needed = {1, 0, 0, 1, 1, 0};
  const auto few = some.some_of(1, needed, pool);
  const auto outlines = shapes.shapes(1);
  for (std::size_t k = 0; k < needed.size(); ++k) {
    for (const Sample& sample : {few[k], outlines[k]}) {
      EXPECT_EQ(sample.p, whole[k].p);
      EXPECT_EQ(sample.n, whole[k].n);
    }
    EXPECT_EQ(outlines[k].S, nullptr);
    if (needed[k])
      EXPECT_EQ(numbers(few.subspan(k, 1)), numbers(whole.subspan(k, 1)));
    else
      EXPECT_EQ(few[k].S, nullptr);
  }
}

TEST(SampleSource, IdentityNamesTheNumbers) {
  ThreadPool pool(1);
  const std::string text = FreshSamples(kShapes).identity(pool);
  EXPECT_EQ(FreshSamples(kShapes).identity(pool), text);
  EXPECT_NE(text.find("p = 2:8"), std::string::npos) << text;
  DataSetOptions seed = kShapes, family = kShapes, count = kShapes;
  seed.seed = 10;
  family.generator.families = families_from("hubs");
  count.count = 7;
  for (const DataSetOptions& other : {seed, family, count})
    EXPECT_NE(FreshSamples(other).identity(pool), text);

  test::ToyData data(4, 3);
  const std::string digest = GivenSamples(data.samples).identity(pool);
  data.S[2](1, 1) += 1e-15;
  EXPECT_NE(GivenSamples(data.samples).identity(pool), digest);
}

}  // namespace
}  // namespace spodnet
