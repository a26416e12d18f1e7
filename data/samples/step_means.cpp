#include "data/samples/step_means.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace orrery::profile_samples {

std::vector<KernelSample> meansWithinSteps(std::vector<KernelSample> samples, const std::vector<std::int64_t>& steps) {
    using Key = std::tuple<std::int64_t, std::string_view, OpClass, Pass, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, double, std::int64_t, double, double>;
    struct Group {
        std::size_t first = 0;
        double sum = 0.0;
        double count = 0.0;
    };
    std::map<Key, Group> groups;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Op& op = samples[i].op;
        const Key key{steps[i], samples[i].opName, op.cls,           op.pass,           op.m, op.n, op.k, op.groups,
                      op.pairs, op.tokens,         op.bytes.value(), op.longestDocument};
        Group& group = groups.try_emplace(key, Group{i, 0.0, 0.0}).first->second;
        group.sum += samples[i].time.value();
        group.count += 1.0;
    }
    std::map<std::size_t, double> means;  // in the order in which shapes first appeared
    for (const auto& [key, group] : groups) means.emplace(group.first, group.sum / group.count);
    std::vector<KernelSample> out;
    out.reserve(means.size());
    for (const auto& [first, mean] : means) {
        out.push_back(std::move(samples[first]));
        out.back().time = Seconds(mean);
    }
    return out;
}

}  // namespace orrery::profile_samples
