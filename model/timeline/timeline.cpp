#include "model/timeline/timeline.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace orrery {

std::string_view name(Phase phase) {
    switch (phase) {
        case Phase::forward:
            return "forward";
        case Phase::backward:
            return "backward";
        case Phase::backwardWeight:
            return "backward_weight";
        case Phase::recompute:
            return "recompute";
        case Phase::optimizer:
            return "optimizer";
        case Phase::gradReduce:
            return "grad_reduce";
        case Phase::paramGather:
            return "param_gather";
        case Phase::tensorComm:
            return "tensor_comm";
        case Phase::contextComm:
            return "context_comm";
        case Phase::expertComm:
            return "expert_comm";
        case Phase::pipelineComm:
            return "pipeline_comm";
        case Phase::wait:
            return "wait";
        case Phase::step:
            return "step";
        case Phase::other:
            return "other";
    }
    return "other";
}

std::string_view name(Lane lane) {
    switch (lane) {
        case Lane::step:
            return "steps";
        case Lane::task:
            return "tasks";
        case Lane::op:
            return "operators";
        case Lane::comm:
            return "communication";
        case Lane::copy:
            return "copies";
        case Lane::host:
            return "host";
        case Lane::kernel:
            return "kernels";
    }
    return "other";
}

std::uint32_t StringTable::intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    ids_.emplace(texts_.back(), id);
    return id;
}

std::uint32_t Timeline::addTrack(Track track) {
    tracks.push_back(std::move(track));
    return static_cast<std::uint32_t>(tracks.size() - 1);
}

void Timeline::add(const Span& span) {
    track_.push_back(span.track);
    start_.push_back(span.start);
    duration_.push_back(span.duration);
    phase_.push_back(span.phase);
    cls_.push_back(span.cls);
    name_.push_back(span.name);
    microBatch_.push_back(span.microBatch);
    step_.push_back(span.step);
    stage_.push_back(span.stage);
    bytes_.push_back(span.bytes);
    peer_.push_back(span.peer);
}

void Timeline::reserve(std::size_t spans) {
    track_.reserve(spans);
    start_.reserve(spans);
    duration_.reserve(spans);
    phase_.reserve(spans);
    cls_.reserve(spans);
    name_.reserve(spans);
    microBatch_.reserve(spans);
    step_.reserve(spans);
    stage_.reserve(spans);
    bytes_.reserve(spans);
    peer_.reserve(spans);
}

Span Timeline::span(std::size_t row) const {
    return {track_[row],      start_[row], duration_[row], phase_[row], cls_[row], name_[row],
            microBatch_[row], step_[row],  stage_[row],    bytes_[row], peer_[row]};
}

std::pair<std::int64_t, std::int64_t> Timeline::extent() const {
    if (start_.empty()) return {0, 0};
    auto first = start_.front();
    auto last = first;
    for (std::size_t row = 0; row < size(); ++row) {
        first = std::min(first, start_[row]);
        last = std::max(last, start_[row] + duration_[row]);
    }
    return {first, last};
}

namespace {
template <typename Column>
void permute(std::vector<Column>& column, const std::vector<std::size_t>& order) {
    std::vector<Column> sorted;
    sorted.reserve(column.size());
    for (const auto row : order) sorted.push_back(column[row]);
    column.swap(sorted);
}
}  // namespace

void Timeline::sort() {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        return std::tuple(track_[a], start_[a], -duration_[a]) < std::tuple(track_[b], start_[b], -duration_[b]);
    });
    permute(track_, order);
    permute(start_, order);
    permute(duration_, order);
    permute(phase_, order);
    permute(cls_, order);
    permute(name_, order);
    permute(microBatch_, order);
    permute(step_, order);
    permute(stage_, order);
    permute(bytes_, order);
    permute(peer_, order);
}

}  // namespace orrery
