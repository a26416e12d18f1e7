#include "report/trace/chakra_trace.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <chakra.pb.h>
#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// The schema's CollectiveCommType; nothing for what is no collective of it.
std::optional<std::int64_t> collectiveType(OpClass cls) {
    switch (cls) {
        case OpClass::allReduce:
            return 0;
        case OpClass::allGather:
            return 2;
        case OpClass::broadcast:
            return 5;
        case OpClass::allToAll:
            return 6;
        case OpClass::reduceScatter:
            return 7;
        default:
            return std::nullopt;
    }
}

void append(std::string& out, const google::protobuf::MessageLite& message) {
    for (std::uint64_t size = message.ByteSizeLong();; size >>= 7U) {
        const bool more = size >= 0x80;
        out.push_back(static_cast<char>((size & 0x7FU) | (more ? 0x80U : 0U)));
        if (!more) break;
    }
    out += message.SerializeAsString();
}

void setInteger(chakra::Node& node, std::string_view name, std::int64_t value) {
    auto* attribute = node.add_attr();
    attribute->set_name(std::string(name));
    attribute->set_int64_val(value);
}

enum class Row : std::uint8_t { work, collective, send, receive };

struct Item {
    Span span;
    Row row = Row::work;
    std::int64_t peer = -1, tag = -1;  ///< peer as an index of ranks
};

bool isInsideTask(Phase phase) {
    return phase == Phase::tensorComm || phase == Phase::contextComm || phase == Phase::expertComm;
}

class Writer {
  public:
    explicit Writer(const Timeline& timeline) : timeline_(timeline) { collect(); }

    std::vector<std::string> write() {
        if (items_.empty()) throw InputError("a timeline without tasks gives no execution trace; predict a scenario");
        std::vector<std::string> files;
        for (auto& [rank, items] : items_) files.push_back(writeRank(rank, items));
        return files;
    }

  private:
    void collect() {
        std::set<int> ranks;
        for (const auto& track : timeline_.tracks) ranks.insert(track.rank);
        for (const int rank : ranks) index_.emplace(rank, std::ssize(index_));
        std::map<std::pair<int, int>, std::int64_t> tags;
        for (std::size_t row = 0; row < timeline_.size(); ++row) {
            const Span span = timeline_.span(row);
            const Track& track = timeline_.tracks[span.track];
            const bool work = track.lane == Lane::task || track.lane == Lane::kernel || track.lane == Lane::comm;
            if (!work || span.phase == Phase::wait || isInsideTask(span.phase)) continue;
            Item item;
            item.span = span;
            if (span.cls == OpClass::sendRecv && index_.contains(span.peer) && span.peer != track.rank) {
                item.row = Row::send;
                item.peer = index_.at(span.peer);
                item.tag = tags[{track.rank, span.peer}]++;
                Item other = item;
                other.row = Row::receive;
                other.peer = index_.at(track.rank);
                items_[span.peer].push_back(other);
            } else if (track.lane == Lane::comm || isCollective(span.cls)) {
                item.row = Row::collective;
            }
            items_[track.rank].push_back(item);
        }
    }

    std::string writeRank(int rank, std::vector<Item>& items) {
        std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            return std::pair(a.span.start, a.span.end()) < std::pair(b.span.start, b.span.end());
        });
        std::string out;
        append(out, metadata(rank));
        std::array<std::map<std::int64_t, std::uint64_t>, 4> ended;  // by row: end -> node, the last of each end
        std::uint64_t id = 0;
        for (const Item& item : items) {
            chakra::Node node = nodeOf(item, id);
            for (std::size_t row = 0; row < ended.size(); ++row) {
                const auto after = ended[row].upper_bound(item.span.start);
                if (after != ended[row].begin()) node.add_data_deps(std::prev(after)->second);
            }
            append(out, node);
            // A row's nodes that overlap are chained by their ends; only the latest can be a predecessor.
            ended[static_cast<std::size_t>(item.row)][item.span.end()] = id++;
        }
        return out;
    }

    [[nodiscard]] chakra::GlobalMetadata metadata(int rank) const {
        chakra::GlobalMetadata message;
        message.set_version("0.0.4");
        const auto add = [&](std::string_view name, std::int64_t value) {
            auto* attribute = message.add_attr();
            attribute->set_name(std::string(name));
            attribute->set_int64_val(value);
        };
        add("rank", rank);
        return message;
    }

    [[nodiscard]] chakra::Node nodeOf(const Item& item, std::uint64_t id) const {
        const Span& span = item.span;
        chakra::Node node;
        node.set_id(id);
        std::string label(timeline_.names.text(span.name));
        if (item.row == Row::receive)
            label = fmt::format("receive_{}", label.starts_with("send_") ? label.substr(5) : label);
        if (span.microBatch >= 0) label = fmt::format("{}_{}", label, span.microBatch);
        node.set_name(label);
        node.set_start_time_micros(static_cast<std::uint64_t>(std::max<std::int64_t>(0, span.start)) / 1000);
        node.set_duration_micros(static_cast<std::uint64_t>(span.duration) / 1000);
        setInteger(node, "orrery_start_ns", span.start);
        setInteger(node, "orrery_duration_ns", span.duration);
        auto* host = node.add_attr();
        host->set_name("is_cpu_op");
        host->set_bool_val(false);
        if (span.bytes >= 0 && item.row != Row::work) setInteger(node, "comm_size", span.bytes);
        switch (item.row) {
            case Row::work:
                node.set_type(chakra::COMP_NODE);
                break;
            case Row::send:
            case Row::receive:
                node.set_type(item.row == Row::send ? chakra::COMM_SEND_NODE : chakra::COMM_RECV_NODE);
                setInteger(node, item.row == Row::send ? "comm_dst" : "comm_src", item.peer);
                setInteger(node, "comm_tag", item.tag);
                break;
            case Row::collective:
                node.set_type(chakra::COMM_COLL_NODE);
                if (const auto type = collectiveType(span.cls)) setInteger(node, "comm_type", *type);
                if (span.stage >= 0) {
                    auto* group = node.add_attr();
                    group->set_name("pg_name");
                    group->set_string_val(fmt::format("{}_stage_{}", name(span.phase), span.stage));
                }
                break;
        }
        return node;
    }

    const Timeline& timeline_;
    std::map<int, std::int64_t> index_;
    std::map<int, std::vector<Item>> items_;
};

}  // namespace

std::vector<std::string> chakraTraces(const Timeline& timeline) {
    return Writer(timeline).write();
}

}  // namespace orrery
