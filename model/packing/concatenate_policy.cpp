// Concatenate and chunk over several global batches.
#include <algorithm>

#include "model/packing/pack_parts.hpp"
#include "model/packing/policies.hpp"

namespace orrery {
namespace {

/// A document of the stream with the step it arrived for.
struct Waiting {
    std::int64_t length = 0;
    std::size_t arrived = 0;
    bool cut = false;
};

class Stream {
  public:
    explicit Stream(const PackingProblem& problem) : problem_(problem) {}

    void arrive(const std::vector<std::int64_t>& batch, std::size_t step) {
        for (const std::int64_t length : batch) {
            waiting_.push_back({length, step, false});
            tokens_ += length;
        }
    }

    /// The next full pack. \pre tokens() >= tokensPerMicroBatch
    Pack next(std::size_t step, Packing& packing) {
        Pack pack;
        for (std::int64_t room = problem_.tokensPerMicroBatch; room > 0;) {
            Waiting& first = waiting_[at_];
            const std::int64_t piece = std::min({first.length, room, problem_.contextLength});
            pack.documents.push_back(piece);
            room -= piece;
            tokens_ -= piece;
            if (step > first.arrived) {
                packing.delayed += piece;
                packing.delayedTokenSteps += static_cast<double>(piece) * static_cast<double>(step - first.arrived);
            }
            first.length -= piece;
            if (first.length == 0) {
                ++at_;
            } else if (!first.cut) {
                first.cut = true;
                ++packing.cutDocuments;
            }
        }
        pack.computed.documents = pack.documents;
        return pack;
    }

    [[nodiscard]] std::int64_t tokens() const { return tokens_; }

  private:
    const PackingProblem& problem_;
    std::vector<Waiting> waiting_;
    std::size_t at_ = 0;
    std::int64_t tokens_ = 0;
};

Packing concatenate(const GlobalBatches& batches, const PackingProblem& problem, bool across) {
    Packing packing;
    Stream stream(problem);
    for (std::size_t arrived = 0; arrived < batches.size(); ++arrived) {
        stream.arrive(batches[arrived], arrived);
        while (stream.tokens() >= problem.tokensPerStep()) {
            std::vector<Pack> packs;
            for (std::int64_t i = 0; i < problem.packs(); ++i) {
                packs.push_back(stream.next(arrived, packing));
                if (!across) continue;
                auto& segments = packs.back().computed.documents;
                segments.clear();
                for (std::int64_t room = problem.tokensPerMicroBatch; room > 0; room -= segments.back())
                    segments.push_back(std::min(room, problem.contextLength));
            }
            packing.steps.push_back(deal(std::move(packs), problem, problem.tokensPerMicroBatch));
        }
    }
    packing.heldBack = stream.tokens();
    return packing;
}

}  // namespace

Packing concatenateAcross(const GlobalBatches& batches, const PackingProblem& problem) {
    return concatenate(batches, problem, true);
}
Packing concatenateWithin(const GlobalBatches& batches, const PackingProblem& problem) {
    return concatenate(batches, problem, false);
}

}  // namespace orrery
