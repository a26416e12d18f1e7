#include "importers/io/file_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20U;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open(const std::filesystem::path& path) {
    File file(std::fopen(path.c_str(), "rb"));
    if (!file) throw InputError(fmt::format("{}: cannot be read ({})", path.string(), std::strerror(errno)));
    return file;
}

/// A gzip stream that may hold several members and may end early.
class Inflater {
  public:
    Inflater() {
        constexpr int kGzip = 16 + MAX_WBITS;
        if (inflateInit2(&stream_, kGzip) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Inflates `input` to the end of `out`, at most up to `limit` bytes in all; false when the stream is damaged.
    bool push(const std::vector<char>& input, std::size_t size, std::string& out, std::size_t limit) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
        stream_.avail_in = static_cast<uInt>(size);
        while (stream_.avail_in > 0 && out.size() < limit) {
            if (ended_) {
                if (inflateReset(&stream_) != Z_OK) return false;
                ended_ = false;
            }
            const std::size_t before = out.size();
            const std::size_t room = std::min(kChunk, limit - before);
            out.resize(before + room);
            stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
            stream_.avail_out = static_cast<uInt>(room);
            const uInt offered = stream_.avail_out;
            const int code = inflate(&stream_, Z_NO_FLUSH);
            out.resize(before + (offered - stream_.avail_out));
            ended_ = code == Z_STREAM_END;
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return false;
        }
        return true;
    }
    [[nodiscard]] bool complete() const { return ended_; }

  private:
    z_stream stream_{};
    bool ended_ = false;
};

/// The unpacked size that a gzip stream's last four bytes state (modulo 4 GiB, of its last member; RFC 1952), as far as
/// the packed size can be true to it. Only a hint for the size of the buffer.
std::size_t statedSize(std::FILE* file, std::uint64_t packedSize) {
    constexpr std::uint64_t kMaxDeflateRatio = 1032;  // zlib technical details, "maximum compression factor"
    std::array<unsigned char, 4> bytes{};
    const long here = std::ftell(file);
    const bool read = std::fseek(file, -4, SEEK_END) == 0 && std::fread(bytes.data(), 1, 4, file) == 4;
    std::fseek(file, here, SEEK_SET);
    if (!read) return 0;
    std::uint64_t size = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) size = size << 8U | bytes[i];
    return static_cast<std::size_t>(std::min(size, packedSize * kMaxDeflateRatio));
}

bool isGzip(const std::vector<char>& bytes, std::size_t size) {
    return size >= 2 && static_cast<unsigned char>(bytes[0]) == 0x1F && static_cast<unsigned char>(bytes[1]) == 0x8B;
}

}  // namespace

std::string readHead(const std::filesystem::path& path, std::size_t limit) {
    const File file = open(path);
    std::vector<char> raw(limit);
    const std::size_t got = std::fread(raw.data(), 1, raw.size(), file.get());
    if (!isGzip(raw, got)) return {raw.data(), got};
    std::string head;
    Inflater().push(raw, got, head, limit);
    return head;
}

Content readContent(const std::filesystem::path& path, const Progress& progress, std::size_t padding,
                    std::size_t limit) {
    const File file = open(path);
    std::error_code ignored;
    const std::uint64_t total = std::filesystem::file_size(path, ignored);
    Content content;
    std::vector<char> chunk(kChunk);
    Inflater inflater;
    bool gzip = false;
    std::uint64_t done = 0;
    while (true) {
        const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get());
        if (got == 0) break;
        if (progress.isCancelled()) throw Cancelled();
        if (done == 0) {
            gzip = isGzip(chunk, got);
            const std::size_t expected =
                gzip ? statedSize(file.get(), total) + kChunk : static_cast<std::size_t>(total);
            content.bytes.reserve(std::min(limit, expected) + padding + 1);
        }
        done += got;
        if (!gzip) {
            content.bytes.append(chunk.data(), got);
        } else if (!inflater.push(chunk, got, content.bytes, limit + 1)) {
            content.truncatedGzip = true;
            break;
        }
        if (content.bytes.size() > limit) {
            throw InputError(fmt::format("{}: unpacks to more than {} bytes; split the file", path.string(), limit));
        }
        if (progress.report) progress.report(done, total);
    }
    if (std::ferror(file.get()) != 0)
        throw InputError(fmt::format("{}: reading failed ({})", path.string(), std::strerror(errno)));
    if (gzip && !inflater.complete()) content.truncatedGzip = true;
    content.size = content.bytes.size();
    content.bytes.append(padding, '\0');
    return content;
}

}  // namespace orrery::importers
