// Tables as text, JSON and CSV, and the escaping that all writers share.
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "report/table/comparison_table.hpp"
#include "report/text/escape.hpp"
#include "tests/report/sample_job.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("The JSON of a comparison carries the table, rank by rank", "[report][table]") {
    const auto comparison = compare(test::pipelineJob(4, 1.0, 0), test::pipelineJob(4, 1.1, 0, 4));
    const auto json = nlohmann::json::parse(comparisonJson(comparison));
    CHECK(json["measured_steps_s"].size() == 3);
    CHECK(json["step"]["error_pct"].get<double>() == Approx(100.0 * (1.0 / 1.1 - 1.0)).epsilon(1e-3));
    CHECK(json["ranks"].size() == 2);
    double total = 0.0;
    for (const auto& row : json["overall"]["phases"]) total += row["measured_s"].get<double>();
    CHECK(total == Approx(json["step"]["measured_s"].get<double>()));
    const auto alone = nlohmann::json::parse(comparisonJson(summarize(test::pipelineJob(4, 1.0, 0, 2))));
    CHECK(alone["step"]["predicted_s"].is_null());
}

TEST_CASE("The printed table is aligned", "[report][table]") {
    const auto comparison = compare(test::pipelineJob(4, 1.0, 0), test::pipelineJob(4, 1.1, 4000, 4));
    const std::string text = comparisonText(comparison, true);
    CHECK_THAT(text, Contains("by phase") && Contains("by operator class") && Contains("rank 1, stage 1"));
    std::istringstream lines(text);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.ends_with(" %")) continue;
        std::size_t columns = 0;  // code points, as a terminal counts
        for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
        CHECK(columns == 71);
        ++rows;
    }
    CHECK(rows >= 20);
}

TEST_CASE("CSV has a line per row and no formula for a spreadsheet to run", "[report][table]") {
    const auto csv = comparisonCsv(compare(test::pipelineJob(2, 1.0, 0), test::pipelineJob(2, 1.0, 0, 2)));
    CHECK_THAT(csv, Contains("\nall,,step,step,") && Contains("\n1,1,phase,wait,"));
    CHECK(csvField("=1+2") == "'=1+2");
    CHECK(csvField("a,\"b\"\n") == "\"a,\"\"b\"\"\n\"");
}

TEST_CASE("Any bytes become valid JSON that cannot leave a script element", "[report][escape][property]") {
    rc::check("JSON strings survive a strict parser", [](const std::string& bytes) {
        const std::string json = jsonString(bytes);
        RC_ASSERT(nlohmann::json::accept(json));
        RC_ASSERT(json.find('<') == std::string::npos);
        RC_ASSERT(nlohmann::json::parse(json).get<std::string>() == validUtf8(bytes));
        const std::string markup = html(bytes);
        RC_ASSERT(markup.find_first_of("<>\"'") == std::string::npos);
    });
    CHECK(jsonString("\xE2\x80\xA8") == "\"\\u2028\"");
    CHECK(validUtf8("\xC0\xAF \xED\xA0\x80 \xF4\x90\x80\x80 \xE2\x82") ==
          "\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD "
          "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD "
          "\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(validUtf8("µ — 漢 🛰") == "µ — 漢 🛰");
}
