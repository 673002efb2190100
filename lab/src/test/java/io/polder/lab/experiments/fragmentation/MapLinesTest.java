package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.report.Report;

import org.junit.jupiter.api.Test;

import java.util.stream.Collectors;

/** Lines that fit a report. */
class MapLinesTest {
    @Test
    void wrap_shortLines_stay() {
        assertThat(MapLines.wrap("legend\n0x7f  12K  Mm-k\n"))
                .isEqualTo("legend\n0x7f  12K  Mm-k\n");
    }

    @Test
    void wrap_longLine_continuesBelowItsLastWord() {
        String letters = "M".repeat(300);

        String wrapped = MapLines.wrap("0x7f  12K  " + letters);

        assertThat(wrapped.lines())
                .hasSize(4)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(wrapped.lines().skip(1))
                .allSatisfy(line -> assertThat(line).startsWith(" ".repeat(11) + "M"));
        assertThat(wrapped.replaceAll("[^M]", "")).isEqualTo(letters);
    }

    @Test
    void wrap_dash_staysWithItsLetter() {
        for (String start : new String[] {"", "M"}) {
            String wrapped = MapLines.wrap(start + "-m".repeat(200));

            assertThat(wrapped.lines()).allSatisfy(line -> assertThat(line).doesNotEndWith("-"));
            assertThat(wrapped.lines().collect(Collectors.joining()))
                    .isEqualTo(start + "-m".repeat(200));
        }
    }

    @Test
    void map_ofManyChunks_fits() {
        ChunkRange range = new ChunkRange(10 << 20);
        for (int i = 0; i < 10_000; i++) {
            range.append(ChunkKind.SPECIALIZED, 1024);
        }

        assertThat(range.map().lines())
                .hasSize(113)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(Maps.letters(range.map())).isEqualTo("x".repeat(10_000));
        assertThat(range.map()).contains("\n    90K  x").endsWith("never used: 240K\n");
    }
}
