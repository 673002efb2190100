package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Settings are read, or refused with the rule and the value, and then the default applies. */
class SlabSettingsTest {
    private final Map<String, String> properties = new HashMap<>();
    private final List<String> complaints = new ArrayList<>();

    @Test
    void parse_nothingSet_isTheDefault() {
        assertThat(parse()).isEqualTo(SlabSettings.DEFAULT);
        assertThat(SlabSettings.DEFAULT).isEqualTo(new SlabSettings(16384, 8));
        assertThat(SlabSettings.DEFAULT.enabled()).isTrue();
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {0, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576})
    void parse_legalSize_isUsed(long size) {
        properties.put(SlabSettings.SIZE_PROPERTY, Long.toString(size));
        assertThat(parse()).isEqualTo(new SlabSettings(size, SlabSettings.COUNT_DEFAULT));
        assertThat(parse().enabled()).isEqualTo(size != 0);
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 8, 16, 32, 64})
    void parse_legalCount_isUsed(int count) {
        properties.put(SlabSettings.COUNT_PROPERTY, Integer.toString(count));
        assertThat(parse()).isEqualTo(new SlabSettings(SlabSettings.BYTES_DEFAULT, count));
        assertThat(parse().enabled()).isEqualTo(count != 0);
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {" 4096", "4096 ", "\t4096\n", "+4096", "0004096"})
    void parse_legalSizeWrittenOddly_isUsed(String text) {
        properties.put(SlabSettings.SIZE_PROPERTY, text);
        assertThat(parse().bytes()).isEqualTo(4096);
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "banana|banana",
                "''|''",
                "'   '|'   '",
                "4k|4k",
                "4096.0|4096.0",
                "0x1000|0x1000",
                "1_024|1_024",
                "1e3|1e3",
                "-1|-1",
                "-64|-64",
                "1|1",
                "2|2",
                "32|32",
                "64|64",
                "1024|1024",
                "2047|2047",
                "2049|2049",
                "3000|3000",
                "4095|4095",
                "2097152|2097152",
                "1048577|1048577",
                "9223372036854775807|9223372036854775807",
                "-9223372036854775808|-9223372036854775808",
                "9223372036854775808|9223372036854775808",
                "4096 4096|4096 4096",
                "NaN|NaN"
            })
    void parse_absurdSize_complainsAndUsesTheDefault(String text, String shown) {
        properties.put(SlabSettings.SIZE_PROPERTY, text);
        properties.put(SlabSettings.COUNT_PROPERTY, "2");
        assertThat(parse()).isEqualTo(new SlabSettings(SlabSettings.BYTES_DEFAULT, 2));
        assertThat(complaints)
                .containsExactly(
                        "polder.confined.slab.size must be 0 (off) or a power of two from 2048 to"
                                + " 1048576: value="
                                + shown
                                + "; using 16384");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plenty",
                "",
                " ",
                "-1",
                "3",
                "5",
                "63",
                "65",
                "128",
                "4294967296",
                "4294967297",
                "2147483648",
                "9223372036854775807",
                "1.5",
                "two"
            })
    void parse_absurdCount_complainsAndUsesTheDefault(String text) {
        properties.put(SlabSettings.SIZE_PROPERTY, "2048");
        properties.put(SlabSettings.COUNT_PROPERTY, text);
        assertThat(parse()).isEqualTo(new SlabSettings(2048, SlabSettings.COUNT_DEFAULT));
        assertThat(complaints)
                .containsExactly(
                        "polder.confined.slab.count must be 0 (off) or a power of two from 1 to"
                                + " 64: value="
                                + text
                                + "; using 8");
    }

    @Test
    void parse_bothAbsurd_complainsOfEach() {
        properties.put(SlabSettings.SIZE_PROPERTY, "-5");
        properties.put(SlabSettings.COUNT_PROPERTY, "many");
        assertThat(parse()).isEqualTo(SlabSettings.DEFAULT);
        assertThat(complaints).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"-1, 4", "1024, 4", "2097152, 4", "3000, 4", "4096, -1", "4096, 3", "4096, 128"})
    void create_brokenRule_isRefused(long bytes, int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlabSettings(bytes, count))
                .withMessageContaining("must be 0 (off) or a power of two from");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, false", "0, 4, false", "4096, 0, false", "2048, 1, true"})
    void enabled_eitherZero_isOff(long bytes, int count, boolean enabled) {
        assertThat(new SlabSettings(bytes, count).enabled()).isEqualTo(enabled);
    }

    private SlabSettings parse() {
        return SlabSettings.parse(
                properties.get(SlabSettings.SIZE_PROPERTY),
                properties.get(SlabSettings.COUNT_PROPERTY),
                complaints);
    }
}
