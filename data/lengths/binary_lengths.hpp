// Lengths in binary files. Internal to data/lengths.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace orrery {

/// What a binary file starts with.
enum class LengthsFormat : std::uint8_t { text, megatronIndex, numpy };
[[nodiscard]] LengthsFormat lengthsFormat(std::ifstream& in);

/// Documents of Megatron-LM's MMapIndexedDataset: the sizes of the sequences between two entries of its document index,
/// added up. \pre at the start of the file. Throws InputError.
[[nodiscard]] std::vector<std::int64_t> readMegatronIndex(std::ifstream& in, const std::string& name);

/// A one-dimensional array of whole numbers, little-endian, 1 to 8 bytes each. \pre and errors as above.
[[nodiscard]] std::vector<std::int64_t> readNumpy(std::ifstream& in, const std::string& name);

}  // namespace orrery
