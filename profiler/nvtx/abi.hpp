// The binary interface between a program with NVTX v3 ranges and a library that records them, described for both sides:
// our client (annotate) and our recorder (profiler/inject). Layouts and numbers follow NVTX v3 as released with CUDA 11
// to 13; a test records a program built with the toolkit's own headers to hold this file true.
//
// How the two meet: at its first NVTX call a program opens the library named by NVTX_INJECTION64_PATH and calls its
// InitializeInjectionNvtx2 with a function that hands out export tables; the library asks the callbacks table for the
// slots of a module and writes its functions into them. The payload extension does the same through
// InitializeInjectionNvtxExtension. Every copy of the NVTX headers in a process does this once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::nvtx::abi {

inline constexpr char kInjectionVariable[] = "NVTX_INJECTION64_PATH";
inline constexpr char kCoreEntry[] = "InitializeInjectionNvtx2";
inline constexpr char kExtensionEntry[] = "InitializeInjectionNvtxExtension";
inline constexpr std::uint32_t kVersion = 3;

using AnyFunction = void (*)();
using SlotTable = AnyFunction**;  ///< pointers to the program's function pointers; entry 0 is unused

enum ExportTable : std::uint32_t { exportCallbacks = 1, exportVersion = 3 };
enum Module : std::int32_t { moduleCore = 1, moduleCore2 = 5 };

struct CallbacksTable {
    std::size_t structSize;
    int (*moduleSlots)(std::int32_t module, SlotTable* slots, unsigned int* count);
};
struct VersionTable {
    std::size_t structSize;
    std::uint32_t version;
    std::uint32_t reserved;
    void (*setInjectionVersion)(std::uint32_t version);
};
using GetExportTable = const void* (*)(std::uint32_t id);
using InitializeCore = int (*)(GetExportTable);

/// Slots of moduleCore: calls without a domain.
enum CoreSlot : std::uint32_t {
    markEx = 1,
    markA,
    markW,
    rangeStartEx,
    rangeStartA,
    rangeStartW,
    rangeEnd,
    rangePushEx,
    rangePushA,
    rangePushW,
    rangePop,
    nameCategoryA,
    nameCategoryW,
    nameThreadA,
    nameThreadW,
    coreSlots,
};

/// Slots of moduleCore2: calls with a domain.
enum Core2Slot : std::uint32_t {
    domainMarkEx = 1,
    domainRangeStartEx,
    domainRangeEnd,
    domainRangePushEx,
    domainRangePop,
    domainResourceCreate,
    domainResourceDestroy,
    domainNameCategoryA,
    domainNameCategoryW,
    domainRegisterStringA,
    domainRegisterStringW,
    domainCreateA,
    domainCreateW,
    domainDestroy,
    initialize,
    core2Slots,
};

/// Handles are minted by the recorder; the program only carries them.
struct DomainTag;
struct StringTag;
struct ResourceTag;
using Domain = DomainTag*;
using String = StringTag*;
using Resource = ResourceTag*;
using RangeId = std::uint64_t;

enum MessageType : std::int32_t { messageNone = 0, messageAscii = 1, messageWide = 2, messageRegistered = 3 };

/// Payloads of the plain interface, by value in the attributes.
enum PayloadType : std::int32_t {
    payloadNone = 0,
    payloadUint64 = 1,
    payloadInt64 = 2,
    payloadDouble = 3,
    payloadUint32 = 4,
    payloadInt32 = 5,
    payloadFloat = 6,
};
/// The payload extension: `payload.address` points to `reserved` PayloadData records.
inline constexpr std::int32_t kPayloadExtended = static_cast<std::int32_t>(0xDFBD0009U);

/// Returned by push and pop when nobody tracks the nesting.
inline constexpr int kNoNesting = -2;

struct EventAttributes {
    std::uint16_t version;
    std::uint16_t size;
    std::uint32_t category;
    std::int32_t colorType;  ///< 0 none, 1 ARGB
    std::uint32_t color;
    std::int32_t payloadType;
    std::int32_t payloadCount;  ///< of extended payloads
    union {
        std::uint64_t u64;
        std::int64_t i64;
        double f64;
        std::uint32_t u32;
        std::int32_t i32;
        float f32;
        std::uintptr_t address;
    } payload;
    std::int32_t messageType;
    union {
        const char* ascii;
        const wchar_t* wide;
        String registered;
    } message;
};
static_assert(sizeof(EventAttributes) == 48);

// --- payload extension -------------------------------------------------------------------------------------------

inline constexpr std::uint16_t kPayloadModule = 2;
inline constexpr std::uint64_t kStaticSchemaStart = 1ULL << 24;   ///< ids that a program chooses (NCCL) start here
inline constexpr std::uint64_t kDynamicSchemaStart = 1ULL << 32;  ///< ids that a recorder hands out start here

enum ExtensionSlot : std::uint32_t {
    schemaRegister = 0,
    enumRegister,
    markPayload,
    rangePushPayload,
    rangePopPayload,
    rangeStartPayload,
    rangeEndPayload,
    domainIsEnabled,
    extensionSlots = 63,
};
inline constexpr std::intptr_t kSlotDisabled = 1;  ///< what the program puts where the recorder wrote nothing

struct ExtensionSegment {
    std::size_t id;
    std::size_t slotCount;
    std::intptr_t* slots;
};
struct ExtensionModule {
    std::uint16_t nvtxVersion;
    std::uint16_t structSize;
    std::uint16_t moduleId;
    std::uint16_t compatId;
    std::size_t segmentCount;
    ExtensionSegment* segments;
    std::intptr_t (*getExportFunction)(std::uint32_t id);
    const void* info;
};
using InitializeExtension = int (*)(ExtensionModule*);

/// Types of schema entries that a profile keeps as numbers or text.
enum EntryType : std::uint64_t {
    entryChar = 1,
    entryUchar,
    entryShort,
    entryUshort,
    entryInt,
    entryUint,
    entryLong,
    entryUlong,
    entryLongLong,
    entryUlongLong,
    entryInt8,
    entryUint8,
    entryInt16,
    entryUint16,
    entryInt32,
    entryUint32,
    entryInt64,
    entryUint64,
    entryFloat,
    entryDouble,
    entrySize = 22,
    entryAddress = 23,
    entryByte = 32,
    entryFloat32 = 43,
    entryFloat64 = 44,
    entryCategory = 68,
    entryColor = 69,
    entryScope = 70,
    entryPid32 = 71,
    entryPid64 = 72,
    entryTid32 = 73,
    entryTid64 = 74,
    entryCstring = 75,
    entryCstringUtf8 = 76,
    entryCstringUtf16 = 77,
    entryCstringUtf32 = 78,
    entryRegisteredString = 80,
};
/// Flags of an entry: it is a pointer or an offset to its value; it is an array of some kind.
inline constexpr std::uint64_t kEntryIsPointer = 1U << 1;
inline constexpr std::uint64_t kEntryIsArrayOrPointer = kEntryIsPointer | (1U << 2) | (1U << 3) | (7U << 4);
/// A payload whose size the recorder has to find out.
inline constexpr std::size_t kPayloadSizeUnknown = ~std::size_t{0};

struct SchemaEntry {
    std::uint64_t flags;
    std::uint64_t type;
    const char* name;
    const char* description;
    std::uint64_t arrayOrUnionDetail;
    std::uint64_t offset;
    const void* semantics;
    const void* reserved;
};
enum SchemaField : std::uint64_t {
    schemaHasName = 1U << 1,
    schemaHasType = 1U << 2,
    schemaHasFlags = 1U << 3,
    schemaHasEntries = 1U << 4,
    schemaHasEntryCount = 1U << 5,
    schemaHasSize = 1U << 6,
    schemaHasAlignment = 1U << 7,
    schemaHasId = 1U << 8,
};
struct SchemaAttributes {
    std::uint64_t fields;
    const char* name;
    std::uint64_t type;  ///< 1: static layout
    std::uint64_t flags;
    const SchemaEntry* entries;
    std::size_t entryCount;
    std::size_t size;
    std::size_t alignment;
    std::uint64_t id;
    void* extension;
};
struct PayloadData {
    std::uint64_t schemaId;
    std::size_t size;
    const void* data;
};

}  // namespace orrery::nvtx::abi
