package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.replay.ArenaEvent.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single lines, as OpenJDK 25.0.3 writes them, and as it does not. */
class LineParserTest {
    private static final long ADDRESS = 0x00007fa6dc0ae020L;

    @Test
    void parse_born_isAnEvent() throws BrokenLogException {
        assertThat(
                        LineParser.parse(
                                "[0.059s][debug][metaspace    ] Arena @0x00007fa6dc0ae020 (class"
                                        + " arena): born."))
                .isEqualTo(new ArenaEvent(Kind.BORN, ADDRESS, 0, 59_000_000));
    }

    @Test
    void parse_requested_isAnEvent() throws BrokenLogException {
        ArenaEvent event =
                LineParser.parse(
                        "[12.345s][trace][metaspace            ] Arena @0x00007fa6dc0ae020"
                                + " (non-class arena): requested 64 words.");

        assertThat(event).isEqualTo(new ArenaEvent(Kind.REQUESTED, ADDRESS, 64, 12_345_000_000L));
        assertThat(event).extracting(ArenaEvent::bytes).isEqualTo(512L);
    }

    @Test
    void parse_dies_hasOneColonMore() throws BrokenLogException {
        assertThat(
                        LineParser.parse(
                                "[9.851s][metaspace] Arena @0x00007fa6dc0ae020 (class arena): :"
                                        + " dies."))
                .isEqualTo(new ArenaEvent(Kind.DIES, ADDRESS, 0, 9_851_000_000L));
    }

    @ParameterizedTest
    @CsvSource({
        "[0.012s], 12000000",
        "[12ms], 12000000",
        "[12345678ns], 12345678",
        "[2026-11-21T09:54:00.000+0000][1.500s][4711], 1500000000",
        "[0.001s ][info ], 1000000"
    })
    void parse_decorations_mayBeOthers(String decorations, long nanos) throws BrokenLogException {
        assertThat(LineParser.parse(decorations + "[metaspace] Arena @0x1f (class arena): born."))
                .isEqualTo(new ArenaEvent(Kind.BORN, 0x1f, 0, nanos));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[0.1s][metaspace] Arena @0x1f (class arena): enlarged chunk.",
                "[0.1s][metaspace] Arena @0x1f (class arena): added to fbl: block (@0x2 word size"
                        + " 9).",
                "[0.1s][metaspace] CLMS @0x1f : dies.",
                "[0.1s][metaspace] ChkMgr @0x1f (class-space): requested chunk: pref_level: lv06.",
                "[0.1s][gc,metaspace] GC(0) Metaspace: 1K(2K)->1K(2K)",
                "[0.1s][metaspace] "
            })
    void parse_otherLines_areSkipped(String line) throws BrokenLogException {
        assertThat(LineParser.parse(line)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"metaspace\": 1}",
                "[1, 2, 3]",
                "[info][metaspace] Arena @0x1f (class arena): born.",
                "[0.1.2s] Arena @0x1f (class arena): born.",
                "[.1s] Arena @0x1f (class arena): born.",
                "[0.1s"
            })
    void parse_foreignLine_saysWhatWasExpected(String line) {
        assertThatThrownBy(() -> LineParser.parse(line))
                .isInstanceOf(BrokenLogException.class)
                .hasMessageContaining(
                        "a line begins with the JVM's uptime and tags, as in '[0.012s]")
                .hasMessageEndingWith("line='" + line + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "requested 64",
                "requested 64 word",
                "requested  words.",
                "requested words.",
                "requested -1 words.",
                "requested 0 words.",
                "requested 0x10 words.",
                "requested 99999999999999999999 words.",
                "requested 134217729 words.",
                "requested 6[0.2s][metaspace] Arena @0x2 (class arena): requested 8 words."
            })
    void parse_brokenRequest_saysWhatWasExpected(String event) {
        assertThatThrownBy(
                        () ->
                                LineParser.parse(
                                        "[0.1s][metaspace] Arena @0x1f (class arena): " + event))
                .isInstanceOf(BrokenLogException.class)
                .hasMessageContaining(
                        "a request ends with a number of words, as in 'requested 64 words.'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Arena @0x1f", "Arena @0x1f (class", "Arena @0x1f class): born."})
    void parse_arenaWithoutName_saysWhatWasExpected(String message) {
        assertThatThrownBy(() -> LineParser.parse("[0.1s][metaspace] " + message))
                .isInstanceOf(BrokenLogException.class)
                .hasMessageContaining("an arena has an address and a name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"xyz", "11112222333344445"})
    void parse_brokenAddress_saysWhatWasExpected(String address) {
        assertThatThrownBy(
                        () ->
                                LineParser.parse(
                                        "[0.1s] Arena @0x" + address + " (class arena): born."))
                .isInstanceOf(BrokenLogException.class)
                .hasMessageContaining("at most 16 hexadecimal digits");
    }

    @Test
    void parse_longForeignLine_isShortenedAndMadePrintable() {
        assertThatThrownBy(() -> LineParser.parse("\u0007".repeat(1000)))
                .hasMessageEndingWith("line='" + "?".repeat(60) + "...'");
    }
}
