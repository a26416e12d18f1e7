#include "model/search/search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "model/memory/stage_memory.hpp"
#include "model/predict/predict_memo.hpp"
#include "model/search/pareto.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::size_t kBatch = 8192;      ///< plans between two looks at the clock and the peers
constexpr std::size_t kRunsAtOnce = 256;  ///< schedules run between two looks at the bound
constexpr std::size_t kWidth = 3;         ///< numbers a plan: step, memory, kind
constexpr double kInfinite = std::numeric_limits<double>::infinity();

enum class Kind : std::uint8_t { exact, bound, tooLarge, statesTooLarge, noBatch, unknown };

struct Score {
    double step = kInfinite;
    double memory = kInfinite;
    Kind kind = Kind::exact;

    [[nodiscard]] bool fits() const { return kind == Kind::exact || kind == Kind::bound; }
};

/// A workload with its index, which points into it.
struct Documents {
    Workload workload;
    std::unique_ptr<IndexedWorkload> index;  ///< empty where the documents do not divide
};

class Search {
  public:
    Search(const SearchProblem& problem, const SearchOptions& options)
        : problem_(problem),
          options_(options),
          arena_(options.threads > 0 ? options.threads : tbb::task_arena::automatic) {
        if (options.threads > 0)  // else oneTBB holds more threads than cores back
            limit_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(options.threads));
    }

    SearchResult run() {
        Candidates found = legalCandidates(problem_.space, problem_.model, problem_.cost.cluster(), problem_.job);
        candidates_ = std::move(found.legal);
        result_.rejected = found.rejected;
        for (const std::int64_t count : result_.rejected) result_.points += count;
        result_.points += static_cast<std::int64_t>(candidates_.size());
        requireCandidates();
        prepareDocuments();
        predictReference();
        scoreAll();
        runWhatMayWin();
        collect();
        return std::move(result_);
    }

  private:
    struct Memos {
        PredictMemo usual, fullSharding;
    };

    void requireCandidates() const {
        if (!candidates_.empty()) return;
        const auto most = std::max_element(result_.rejected.begin(), result_.rejected.end());
        const auto reason = static_cast<Rejection>(most - result_.rejected.begin());
        throw InputError(fmt::format("search: none of {} points of the space is a plan; most often {}; widen [plan]",
                                     result_.points, describe(reason)));
    }

    void prepareDocuments() {
        const auto add = [&](int dp, int microBatch) {
            const auto [at, isNew] = documents_.try_emplace({dp, microBatch});
            if (!isNew) return;
            try {
                at->second.workload = problem_.workload(dp, microBatch);
                at->second.index = std::make_unique<IndexedWorkload>(at->second.workload);
            } catch (const InputError&) {
                at->second.index.reset();
            }
        };
        for (const Candidate& candidate : candidates_) add(candidate.dp, candidate.microBatch);
        if (problem_.reference) add(problem_.reference->plan.dp, problem_.reference->microBatch);
    }

    void predictReference() {
        if (!problem_.reference) return;
        const auto& [plan, microBatch] = *problem_.reference;
        const Documents& documents = documents_.at({plan.dp, microBatch});
        if (documents.index == nullptr) return;
        result_.reference = RankedPlan{plan, microBatch,
                                       predict(problem_.model, plan, *documents.index, problem_.costOf(plan.sharding))};
    }

    Memos& memos() { return memos_.local(); }

    [[nodiscard]] PredictMemo& memoOf(Memos& memos, const Candidate& candidate) const {
        return &problem_.costOf(candidate.sharding) == &problem_.cost ? memos.usual : memos.fullSharding;
    }

    Prediction predicted(std::size_t index, bool boundWillDo) {
        const Candidate& candidate = candidates_[index];
        const Documents& documents = documents_.at({candidate.dp, candidate.microBatch});
        return predict(problem_.model, planOf(index), *documents.index, problem_.costOf(candidate.sharding),
                       {.boundInsteadOfRun = boundWillDo}, memoOf(memos(), candidate));
    }

    [[nodiscard]] ParallelPlan planOf(std::size_t index) const {
        return orrery::planOf(candidates_[index], problem_.space);
    }

    [[nodiscard]] bool statesFit(std::size_t index) const {
        const ParallelPlan plan = planOf(index);
        const CostModel& cost = problem_.costOf(candidates_[index].sharding);
        const double room = (cost.cluster().gpu.memory - cost.runtime().fixedMemory).value();
        for (const StageParameters& stage : stageParameters(problem_.model, plan)) {
            const StateMemory states = stateMemory(problem_.model, plan, stage, Bytes{});
            if ((states.weights + states.gradients + states.optimizer + states.buffers).value() > room) return false;
        }
        return true;
    }

    Score score(std::size_t index) {
        Score score;
        if (documents_.at({candidates_[index].dp, candidates_[index].microBatch}).index == nullptr) {
            score.kind = Kind::noBatch;
        } else if (!statesFit(index)) {
            score.kind = Kind::statesTooLarge;
        } else {
            const Prediction prediction = predicted(index, !options_.exhaustive);
            score.step = prediction.metrics.step.value();
            score.memory = prediction.metrics.peakMemory.value();
            const bool fits =
                prediction.metrics.peakMemory <= problem_.costOf(candidates_[index].sharding).cluster().gpu.memory;
            score.kind = !fits ? Kind::tooLarge : prediction.isBound ? Kind::bound : Kind::exact;
        }
        return score;
    }

    /// Calls work(i) for those of 0 .. count-1 that are this process's, and learns the others' scores.
    template <typename Work>
    std::vector<Score> shared(std::size_t count, const Work& work) {
        SearchPeers* peers = options_.peers;
        const std::size_t step = peers != nullptr ? static_cast<std::size_t>(peers->size()) : 1;
        const std::size_t first = peers != nullptr ? static_cast<std::size_t>(peers->rank()) : 0;
        std::vector<double> numbers(count * kWidth, 0.0);
        for (std::size_t i = 0; i < count; ++i)  // what nobody comes to
            numbers[i * kWidth + 2] = static_cast<double>(Kind::unknown);
        const std::size_t mine = count > first ? (count - first + step - 1) / step : 0;
        arena_.execute([&] {
            tbb::parallel_for(std::size_t{0}, mine, [&](std::size_t n) {
                const std::size_t at = first + n * step;
                if (asked()) return;  // a launcher that stops a job gives it a second
                const Score score = work(at);
                numbers[at * kWidth] = score.step;
                numbers[at * kWidth + 1] = score.memory;
                numbers[at * kWidth + 2] = static_cast<double>(score.kind);
            });
        });
        if (peers != nullptr) peers->exchange(numbers, kWidth);
        std::vector<Score> scores(count);
        for (std::size_t i = 0; i < count; ++i) {
            scores[i] = {numbers[i * kWidth], numbers[i * kWidth + 1],
                         static_cast<Kind>(static_cast<int>(numbers[i * kWidth + 2]))};
        }
        return scores;
    }

    /// This process has been asked to stop.
    [[nodiscard]] bool asked() const {
        return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    }
    /// Any of the processes has.
    [[nodiscard]] bool stopped() { return options_.peers != nullptr ? options_.peers->any(asked()) : asked(); }

    void report(std::size_t done, std::size_t all, bool simulating) const {
        if (!options_.progress) return;
        options_.progress({static_cast<std::int64_t>(done), static_cast<std::int64_t>(all), simulating,
                           bestSteps_.empty() ? 0.0 : bestSteps_.front()});
    }

    void scoreAll() {
        scores_.reserve(candidates_.size());
        while (scores_.size() < candidates_.size()) {
            if (stopped()) {
                result_.interrupted = true;
                break;
            }
            const std::size_t begin = scores_.size();
            const auto scores =
                shared(std::min(kBatch, candidates_.size() - begin), [&](std::size_t i) { return score(begin + i); });
            for (std::size_t i = 0; i < scores.size(); ++i) {
                if (scores[i].kind == Kind::exact) noteStep(scores[i].step);
            }
            scores_.insert(scores_.end(), scores.begin(), scores.end());
            report(scores_.size(), candidates_.size(), false);
        }
    }

    /// Keeps the `top` shortest steps of feasible plans.
    void noteStep(double step) {
        bestSteps_.insert(std::upper_bound(bestSteps_.begin(), bestSteps_.end(), step), step);
        if (bestSteps_.size() > static_cast<std::size_t>(std::max(1, options_.top))) bestSteps_.pop_back();
    }

    /// A plan with a longer step is not among the answers, save for its memory.
    [[nodiscard]] double longestWanted() const {
        const bool full = bestSteps_.size() >= static_cast<std::size_t>(std::max(1, options_.top));
        double wanted = full ? bestSteps_.back() : kInfinite;
        if (result_.reference) wanted = std::max(wanted, result_.reference->prediction.metrics.step.value());
        return wanted;
    }

    /// Least memory of the plans known to take at most `step`.
    void noteFront(double step, double memory) {
        auto at = front_.upper_bound(step);
        if (at != front_.begin() && std::prev(at)->second <= memory) return;
        while (at != front_.end() && at->second >= memory) at = front_.erase(at);
        front_[step] = std::min(memory, front_.contains(step) ? front_[step] : kInfinite);
    }
    [[nodiscard]] double leastMemoryWithin(double step) const {
        const auto at = front_.upper_bound(step);
        return at == front_.begin() ? kInfinite : std::prev(at)->second;
    }

    /// Runs schedules in order of their bounds, in rounds of fixed size, so that what is run depends on nothing else.
    void runWhatMayWin() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            if (!scores_[i].fits()) continue;
            if (scores_[i].kind == Kind::bound) {
                order.push_back(i);
            } else {
                noteFront(scores_[i].step, scores_[i].memory);
            }
        }
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(scores_[a].step, a) < std::pair(scores_[b].step, b);
        });
        std::size_t next = 0;
        while (next < order.size()) {
            std::vector<std::size_t> round;
            const double wanted = longestWanted();
            for (; next < order.size() && round.size() < kRunsAtOnce; ++next) {
                const Score& bound = scores_[order[next]];
                if (bound.step <= wanted || bound.memory < leastMemoryWithin(bound.step)) round.push_back(order[next]);
            }
            if (round.empty()) break;
            const auto scores = shared(round.size(), [&](std::size_t i) {
                const Prediction prediction = predicted(round[i], false);
                return Score{prediction.metrics.step.value(), prediction.metrics.peakMemory.value(), Kind::exact};
            });
            result_.simulated += static_cast<std::int64_t>(round.size());
            for (std::size_t i = 0; i < round.size(); ++i) {
                if (scores[i].kind == Kind::unknown) continue;
                scores_[round[i]] = scores[i];
                noteStep(scores[i].step);
                noteFront(scores[i].step, scores[i].memory);
            }
            report(next, order.size(), true);
            if (result_.interrupted || stopped()) {
                result_.interrupted = true;
                break;  // after one round, so that the best of what was seen is known
            }
        }
    }

    RankedPlan ranked(std::size_t index) {
        return {planOf(index), candidates_[index].microBatch, predicted(index, false)};
    }

    void countPlan(const Score& score) {
        if (score.kind == Kind::unknown) return;
        const auto reject = [&](Rejection reason) { ++result_.rejected[static_cast<std::size_t>(reason)]; };
        if (score.kind == Kind::noBatch) return reject(Rejection::batch);
        if (score.kind == Kind::statesTooLarge) return reject(Rejection::states);
        ++result_.evaluated;
        if (score.kind == Kind::tooLarge) return reject(Rejection::memory);
        ++result_.feasible;
    }

    void collect() {
        std::vector<std::size_t> known;
        std::vector<TimeAndMemory> points;
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            countPlan(scores_[i]);
            if (scores_[i].kind != Kind::exact) continue;
            known.push_back(i);
            points.push_back({scores_[i].step, scores_[i].memory});
        }
        const bool hurried = result_.interrupted;  // whoever stops us may not wait for a long front
        const std::vector<std::size_t> front = hurried ? std::vector<std::size_t>{} : paretoFront(points);
        for (const std::size_t at : front) result_.front.push_back(ranked(known[at]));
        std::sort(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(scores_[a].step, scores_[a].memory, a) <
                   std::tuple(scores_[b].step, scores_[b].memory, b);
        });
        const std::size_t count = std::min(known.size(), static_cast<std::size_t>(std::max(0, options_.top)));
        for (std::size_t i = 0; i < count; ++i) result_.best.push_back(ranked(known[i]));
        if (!result_.reference) return;
        const double step = result_.reference->prediction.metrics.step.value();
        result_.betterThanReference =
            std::count_if(known.begin(), known.end(), [&](std::size_t i) { return scores_[i].step < step; });
    }

    const SearchProblem& problem_;
    const SearchOptions& options_;
    std::optional<tbb::global_control> limit_;
    tbb::task_arena arena_;
    tbb::enumerable_thread_specific<Memos> memos_;
    std::vector<Candidate> candidates_;
    std::map<std::pair<int, int>, Documents> documents_;
    std::vector<Score> scores_;
    std::vector<double> bestSteps_;   ///< ascending, as many as are wanted
    std::map<double, double> front_;  ///< step -> least memory within it
    SearchResult result_;
};

}  // namespace

SearchResult search(const SearchProblem& problem, const SearchOptions& options) {
    return Search(problem, options).run();
}

}  // namespace orrery
