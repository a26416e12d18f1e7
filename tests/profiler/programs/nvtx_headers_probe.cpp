// Marks ranges through NVIDIA's own NVTX headers, so that recording it proves our description of the interface true.
// Built only where CMake finds the headers (a CUDA toolkit).
#include <cstdint>
#include <thread>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

namespace {

struct GemmPayload {
    std::int64_t m;
    double seconds;
    std::int32_t k;
};

void payloads(nvtxDomainHandle_t domain) {
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "m", nullptr, 0, offsetof(GemmPayload, m), nullptr, nullptr},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "seconds", nullptr, 0, offsetof(GemmPayload, seconds), nullptr, nullptr},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "k", nullptr, 0, offsetof(GemmPayload, k), nullptr, nullptr},
    };
    nvtxPayloadSchemaAttr_t schema{};
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.name = "probe.gemm";
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 3;
    schema.payloadStaticSize = sizeof(GemmPayload);
    const std::uint64_t id = nvtxPayloadSchemaRegister(domain, &schema);

    const GemmPayload gemm{4096, 0.25, -7};
    const nvtxPayloadData_t data{id, sizeof(gemm), &gemm};
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.category = 3;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, "with payload");
    event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event.reserved0 = 1;
    event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
    nvtxDomainNameCategoryA(domain, 3, "probe category");
    nvtxDomainRangePushEx(domain, &event);
    nvtxDomainRangePop(domain);

    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = 42;
    event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    event.message.unicode = L"wide \u00e9\u4e2d";
    nvtxDomainMarkEx(domain, &event);
}

}  // namespace

int main() {
    nvtxRangePushA("outer");
    nvtxRangePushW(L"inner");
    nvtxMarkA("mark");
    nvtxRangePop();
    nvtxRangePop();
    const nvtxRangeId_t across = nvtxRangeStartA("across threads");
    std::thread([across] { nvtxRangeEnd(across); }).join();
    payloads(nvtxDomainCreateA("probe"));
    return 0;
}
