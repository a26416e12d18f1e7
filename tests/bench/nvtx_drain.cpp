// How fast the drain thread turns events into rows of a profile: the rate at which ranges may come for ever.
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "data/store/profile_writer.hpp"
#include "profiler/inject/event.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/range_assembler.hpp"

namespace {

using namespace orrery;
using namespace orrery::inject;

constexpr int kRangesPerCommit = 10'000;

std::vector<std::byte> bytesOf(const Event& event, std::span<const std::int64_t> payload) {
    const std::size_t head = headSize(event.kind);
    std::vector<std::byte> bytes(head + payload.size_bytes());
    std::copy_n(reinterpret_cast<const std::byte*>(&event), head, bytes.data());
    std::copy_n(reinterpret_cast<const std::byte*>(payload.data()), payload.size_bytes(), bytes.data() + head);
    return bytes;
}

void drain(benchmark::State& state) {
    const auto fields = static_cast<std::size_t>(state.range(0));
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery-bench-drain.db";
    std::filesystem::remove(file);
    ProfileWriter writer(file, WriteMode::live);
    RankRow rank;
    rank.file = "bench";
    rank.source = "orrery";
    RangeAssembler assembler(writer, writer.addRank(rank));

    Event push;
    push.kind = EventKind::push;
    push.nameKind = NameKind::registered;
    push.name = Names::instance().string("range");
    push.domain = Names::instance().domain("bench");
    if (fields > 0) {
        std::vector<nvtx::abi::SchemaEntry> entries(fields);
        for (auto& entry : entries) {
            entry.type = nvtx::abi::entryInt64;
            entry.name = "field";
        }
        nvtx::abi::SchemaAttributes schema{};
        schema.fields = nvtx::abi::schemaHasEntries | nvtx::abi::schemaHasEntryCount;
        schema.entries = entries.data();
        schema.entryCount = fields;
        push.schemaId = Names::instance().schema(push.domain, schema);
    }
    const std::vector<std::int64_t> payload(fields, 123456789);
    push.payloadSize = static_cast<std::uint16_t>(payload.size() * sizeof(std::int64_t));
    Event pop;
    pop.kind = EventKind::pop;
    pop.domain = push.domain;

    for (auto _ : state) {
        for (int i = 0; i < kRangesPerCommit; ++i) {
            push.time += 1000;
            pop.time = push.time + 500;
            assembler.consume({1, 1}, bytesOf(push, payload));
            assembler.consume({1, 1}, bytesOf(pop, {}));
        }
        writer.commit();
    }
    state.SetItemsProcessed(state.iterations() * kRangesPerCommit);
}
BENCHMARK(drain)
    ->Arg(0)
    ->Arg(7)
    ->ArgName("payload_fields")
    ->Unit(benchmark::kMillisecond)
    ->Repetitions(5)
    ->ReportAggregatesOnly(true);

}  // namespace

BENCHMARK_MAIN();
