// What the recording tests record: one way of using NVTX, or of dying, per first argument.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/nvtx/annotate.hpp"
#include "profiler/nvtx/injection.hpp"

namespace {

using namespace orrery::nvtx;
using Clock = std::chrono::steady_clock;

// Calls without a domain, which annotate.hpp does not offer. Tests always record, so the slots are there.
void push(const char* text) {
    Injection::core<int (*)(const char*)>(abi::rangePushA)(text);
}
int pop() {
    return Injection::core<int (*)()>(abi::rangePop)();
}
abi::RangeId start(const char* text) {
    return Injection::core<abi::RangeId (*)(const char*)>(abi::rangeStartA)(text);
}
void end(abi::RangeId id) {
    Injection::core<void (*)(abi::RangeId)>(abi::rangeEnd)(id);
}

abi::EventAttributes attributes(const char* text) {
    abi::EventAttributes event{};
    event.version = abi::kVersion;
    event.size = sizeof(event);
    event.messageType = abi::messageAscii;
    event.message.ascii = text;
    return event;
}
void markEx(const abi::EventAttributes& event) {
    Injection::core<void (*)(const abi::EventAttributes*)>(abi::markEx)(&event);
}

int texts() {
    push("plain");
    Injection::core<int (*)(const wchar_t*)>(abi::rangePushW)(L"wide \u00e9\u4e2d\U0001F680");
    Injection::core<void (*)(const char*)>(abi::markA)("mark");
    Injection::core<void (*)(const wchar_t*)>(abi::markW)(L"mark \u00fc");
    pop();
    pop();
    end(Injection::core<abi::RangeId (*)(const wchar_t*)>(abi::rangeStartW)(L"start \u00e9"));
    const std::string longText(5000, 'x');
    Injection::core<void (*)(const char*)>(abi::markA)(longText.c_str());
    Injection::core<void (*)(const char*)>(abi::markA)("bad \xff\xc3(");
    Injection::core<void (*)(const char*)>(abi::markA)(nullptr);
    abi::EventAttributes colored = attributes("colored");
    colored.colorType = 1;
    colored.color = 0xFF112233U;
    markEx(colored);
    return 0;
}

int threads() {
    const Domain domain("job");
    const Category outerCategory = domain.category(1, "outer");
    const Name outer = domain.name("outer range");
    const Name inner = domain.name("inner range");
    std::vector<std::thread> workers;
    for (int t = 0; t < 3; ++t) {
        workers.emplace_back([&, t] {
            const auto id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
            Injection::core<void (*)(std::uint32_t, const char*)>(abi::nameThreadA)(
                id, ("worker " + std::to_string(t)).c_str());
            for (int i = 0; i < 10 + t; ++i) {
                const Range a(domain, outerCategory, outer);
                const Range b(domain, {}, inner);
                const Range c(domain, {}, inner);
            }
        });
    }
    for (auto& worker : workers) worker.join();
    const abi::RangeId across = start("across threads");
    std::thread([across] { end(across); }).join();
    start("never ended");
    return 0;
}

int domains() {
    const Domain one("one");
    const Domain two("two");
    const Domain again("one");
    const Category unnamed{99};
    const auto pushIn = [](const Domain& domain, const char* text) {
        const abi::EventAttributes event = attributes(text);
        Injection::core2<int (*)(abi::Domain, const abi::EventAttributes*)>(abi::domainRangePushEx)(domain.handle(),
                                                                                                    &event);
    };
    const auto popIn = [](const Domain& domain) {
        return Injection::core2<int (*)(abi::Domain)>(abi::domainRangePop)(domain.handle());
    };
    pushIn(one, "first of one");
    pushIn(two, "first of two");
    popIn(again);  // ends the range of "one" though that of "two" is further inside
    one.mark(unnamed, {nullptr, "between"});
    popIn(two);
    pop();  // nothing is open without a domain
    const auto resource = Injection::core2<abi::Resource (*)(abi::Domain, void*)>(abi::domainResourceCreate);
    Injection::core2<void (*)(abi::Resource)>(abi::domainResourceDestroy)(resource(one.handle(), nullptr));
    Injection::core2<void (*)(abi::Domain)>(abi::domainDestroy)(two.handle());
    end(123456789);  // was never started
    return 0;
}

struct Sizes {
    std::int8_t small;
    std::uint16_t medium;
    float ratio;
    std::uint64_t big;
    abi::String label;
};

int payloads() {
    const Domain domain("job");
    const Schema schema = domain.schema("job.work", {{"items"}, {"seconds", FieldType::float64}});
    const Range both(domain, {}, domain.name("with payload"), schema, {std::int64_t{-5}, 0.125});

    abi::EventAttributes event = attributes("unsigned");
    event.payloadType = abi::payloadUint64;
    event.payload.u64 = 42;
    markEx(event);
    event = attributes("real");
    event.payloadType = abi::payloadFloat;
    event.payload.f32 = 0.5F;
    markEx(event);
    event = attributes("signed");
    event.payloadType = abi::payloadInt32;
    event.payload.i32 = -3;
    markEx(event);

    // A layout as NCCL uses it: an id chosen by the program, entries in place of a struct, one of them an array.
    constexpr std::uint64_t kId = abi::kStaticSchemaStart + 5;
    const abi::SchemaEntry entries[] = {
        {0, abi::entryInt8, "small", nullptr, 0, offsetof(Sizes, small), nullptr, nullptr},
        {0, abi::entryUint16, "medium", nullptr, 0, 0, nullptr, nullptr},  // 0: behind the one before
        {0, abi::entryFloat, "ratio", nullptr, 0, 0, nullptr, nullptr},
        {0, abi::entryUint64, "big", nullptr, 0, offsetof(Sizes, big), nullptr, nullptr},
        {1U << 4, abi::entryInt32, "array", nullptr, 2, offsetof(Sizes, big), nullptr, nullptr},
        {0, abi::entryRegisteredString, "label", nullptr, 0, offsetof(Sizes, label), nullptr, nullptr},
    };
    abi::SchemaAttributes description{};
    description.fields = abi::schemaHasName | abi::schemaHasType | abi::schemaHasEntries | abi::schemaHasEntryCount |
                         abi::schemaHasSize | abi::schemaHasId;
    description.name = "sizes";
    description.type = 1;
    description.entries = entries;
    description.entryCount = std::size(entries);
    description.size = sizeof(Sizes);
    description.id = kId;
    const auto registerSchema =
        Injection::extension<std::uint64_t (*)(abi::Domain, const abi::SchemaAttributes*)>(abi::schemaRegister);
    if (registerSchema(domain.handle(), &description) != kId) return 1;

    const auto mark =
        Injection::extension<void (*)(abi::Domain, const abi::PayloadData*, std::size_t)>(abi::markPayload);
    const Sizes sizes{-1, 65535, 1.5F, 1ULL << 63U, domain.name("a label").handle};
    abi::PayloadData data{kId, sizeof(sizes), &sizes};
    mark(domain.handle(), &data, 1);
    data.size = offsetof(Sizes, big);  // cut short: the rest is unknown
    mark(domain.handle(), &data, 1);
    data = {abi::kStaticSchemaStart + 77, sizeof(sizes), &sizes};  // nobody registered it
    mark(domain.handle(), &data, 1);
    data = {kId, abi::kPayloadSizeUnknown, &sizes};
    mark(domain.handle(), &data, 1);
    const double single = 2.5;
    data = {abi::entryDouble, sizeof(single), &single};
    mark(domain.handle(), &data, 1);
    return 0;
}

int burst(int threadCount, int rangesEach, int depth) {
    const Domain domain("burst");
    const Name name = domain.name("short");
    std::vector<std::thread> workers;
    for (int t = 0; t < threadCount; ++t) {
        workers.emplace_back([&] {
            std::vector<char> nest;
            for (int i = 0; i < rangesEach;) {
                int open = 0;
                for (; open < depth && i < rangesEach; ++open, ++i) {
                    abi::EventAttributes event = attributes("");
                    event.messageType = abi::messageRegistered;
                    event.message.registered = name.handle;
                    Injection::core2<int (*)(abi::Domain, const abi::EventAttributes*)>(abi::domainRangePushEx)(
                        domain.handle(), &event);
                }
                while (open-- > 0) Injection::core2<int (*)(abi::Domain)>(abi::domainRangePop)(domain.handle());
            }
        });
    }
    for (auto& worker : workers) worker.join();
    return 0;
}

/// Closes ranges for a while, says how many were closed longer ago than `marginMs`, and kills itself.
int killed(int runMs, int marginMs) {
    std::thread([] {
        while (true) {
            for (int i = 0; i < 100; ++i) {
                push("of the busy thread");
                pop();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }).detach();
    push("open for long");
    std::vector<Clock::time_point> closed;
    const auto until = Clock::now() + std::chrono::milliseconds(runMs);
    while (Clock::now() < until) {
        push("counted");
        pop();
        closed.push_back(Clock::now());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto limit = Clock::now() - std::chrono::milliseconds(marginMs);
    std::size_t old = 0;
    for (const auto& time : closed) old += time < limit ? 1 : 0;
    std::printf("closed %zu of %zu\n", old, closed.size());
    std::fflush(stdout);
    ::kill(::getpid(), SIGKILL);
    return 0;
}

int forks(int children) {
    push("before fork");
    pop();
    bool stop = false;
    std::thread busy([&] {
        while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
            for (int i = 0; i < 1000; ++i) {
                push("beside");
                pop();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (int i = 0; i < children; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            push("in child");
            pop();
            std::exit(0);  // handlers run: the child's profile is completed
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (status != 0) return 1;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    busy.join();
    push("after fork");
    pop();
    return 0;
}

int shortThreads(int count) {
    for (int i = 0; i < count; ++i) {
        std::thread([] {
            push("short life");
            pop();
            push("left open");
        }).join();
        if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmSize")) std::printf("%s\n", line.c_str());
    }
    return 0;
}

struct AtTheEnd {
    ~AtTheEnd() {
        push("after exit began");
        pop();
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
    if (mode == "nothing") return 0;
    if (!recording()) {
        std::printf("not recorded\n");
        return 0;
    }
    if (mode == "texts") return texts();
    if (mode == "threads") return threads();
    if (mode == "domains") return domains();
    if (mode == "payloads") return payloads();
    if (mode == "burst") return burst(number(2), number(3), number(4));
    if (mode == "killed") return killed(number(2), number(3));
    if (mode == "forks") return forks(number(2));
    if (mode == "short-threads") return shortThreads(number(2));
    if (mode == "names") {
        for (int i = 0; i < number(2); ++i) {
            push(("name " + std::to_string(i)).c_str());
            pop();
        }
        return 0;
    }
    if (mode == "exec") {
        push("before exec");
        pop();
        std::this_thread::sleep_for(std::chrono::milliseconds(number(2)));
        ::execl("/proc/self/exe", argv[0], "burst", "1", "1", "1", nullptr);
        return 1;
    }
    if (mode == "plugin") {
        const Domain domain("shared");
        const Range range(domain, domain.category(1, "of the program"), domain.name("in program"));
        void* plugin = ::dlopen(argv[2], RTLD_NOW);
        const auto work = plugin != nullptr ? reinterpret_cast<void (*)()>(::dlsym(plugin, "pluginWork")) : nullptr;
        if (work == nullptr) return 1;
        work();
        ::dlclose(plugin);
        return 0;
    }
    if (mode == "late") {
        static const AtTheEnd late;
        push("in time");
        pop();
        return 0;
    }
    if (mode == "signal") {  // dies of one while a range is open
        push("open");
        std::this_thread::sleep_for(std::chrono::milliseconds(number(2)));
        std::raise(SIGABRT);
    }
    std::fprintf(stderr, "nvtx_program: unknown mode '%s'\n", mode.c_str());
    return 2;
}
