package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.InputException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whole files: plain, compressed, in parts, cut, damaged, foreign. */
class MetaspaceLogTest {
    private static final String BORN = "[0.010s][metaspace] Arena @0x1f (class arena): born.\n";
    private static final String REQUESTED =
            "[0.020s][metaspace] Arena @0x1f (class arena): requested 8 words.\n";

    @TempDir private Path directory;

    private final List<ArenaEvent> events = new ArrayList<>();

    @Test
    void read_plain_passesEventsOn() throws Exception {
        MetaspaceLog.Extent extent = read(file("x.log", BORN + "[0.1s][gc] other\n" + REQUESTED));

        assertThat(events).extracting(ArenaEvent::words).containsExactly(0L, 8L);
        assertThat(extent).isEqualTo(new MetaspaceLog.Extent(3, false));
    }

    @Test
    void read_windowsLineEnds_areLineEnds() throws Exception {
        read(file("x.log", (BORN + REQUESTED).replace("\n", "\r\n")));

        assertThat(events).hasSize(2);
    }

    @Test
    void read_gzip_isKnownByItsContent() throws Exception {
        Path renamed = directory.resolve("x.log");
        Files.write(renamed, Logs.gzip(BORN + REQUESTED));

        read(renamed);

        assertThat(events).hasSize(2);
    }

    @Test
    void read_parts_continueEachOther() throws Exception {
        MetaspaceLog.Extent extent = read(file("x.log.0", BORN), file("x.log", REQUESTED));

        assertThat(events).hasSize(2);
        assertThat(extent.lines()).isEqualTo(2);
    }

    @Test
    void read_partsInTheWrongOrder_isRefused() {
        assertThatThrownBy(
                        () -> read(file("x.log", later(BORN)), file("x.log.0", BORN + REQUESTED)))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log.0, line 1: the parts of a log come in the order")
                .hasMessageContaining("seconds=0.010, before=9.010");
    }

    @Test
    void read_lastLineCut_isLeftOut() throws Exception {
        for (String cut :
                List.of(
                        "[0.0",
                        "[0.1s][metaspace] Arena @0x1",
                        REQUESTED.strip().substring(0, 60))) {
            events.clear();
            MetaspaceLog.Extent extent = read(file("x.log", BORN + REQUESTED + cut));

            assertThat(extent).isEqualTo(new MetaspaceLog.Extent(3, true));
            assertThat(events).hasSize(2);
        }
    }

    @Test
    void read_lastLineWholeButForItsEnd_counts() throws Exception {
        MetaspaceLog.Extent extent = read(file("x.log", BORN + REQUESTED.strip()));

        assertThat(extent).isEqualTo(new MetaspaceLog.Extent(2, false));
        assertThat(events).hasSize(2);
    }

    @Test
    void read_lineCutBeforeAnotherPart_isRefused() {
        assertThatThrownBy(() -> read(file("x.log.0", BORN + "[0.02"), file("x.log", REQUESTED)))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log.0, line 2: a line begins with");
    }

    @Test
    void read_foreignFile_namesTheLine() {
        assertThatThrownBy(() -> read(file("x.json", "{\"a\": 1}\n{\"b\": 2}\n")))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.json, line 1: a line begins with the JVM's uptime");
    }

    @Test
    void read_otherLogOfAJvm_saysWhatIsMissing() {
        assertThatThrownBy(() -> read(file("gc.log", "[0.1s][gc] one\n[0.2s][gc] two\n")))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("gc.log, line 2: expected a line such as")
                .hasMessageContaining("born.' before the end");
    }

    @Test
    void read_emptyFile_isRefused() {
        assertThatThrownBy(() -> read(file("x.log", "")))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log, line 1: the file is empty");
        assertThatThrownBy(() -> read(file("y.log", BORN), file("y.log.0", "")))
                .hasMessageContaining("y.log.0, line 1: the file is empty");
    }

    @Test
    void read_gzipCutOff_namesTheLine() throws Exception {
        byte[] whole = Logs.gzip(BORN + REQUESTED.repeat(10_000));
        Path cut = directory.resolve("x.log.gz");
        Files.write(cut, Arrays.copyOf(whole, whole.length - 20));

        assertThatThrownBy(() -> read(cut))
                .isInstanceOf(InputException.class)
                .hasMessageMatching(".*x\\.log\\.gz, line \\d+: the gzip data is truncated;.*");

        Files.write(cut, Arrays.copyOf(whole, 5));
        assertThatThrownBy(() -> read(cut))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log.gz, line 1: the gzip data is truncated");
    }

    @Test
    void read_gzipDamaged_isRefused() throws Exception {
        byte[] bytes = Logs.gzip(BORN + REQUESTED.repeat(10_000));
        bytes[bytes.length - 5] ^= 1;
        Path damaged = directory.resolve("x.log.gz");
        Files.write(damaged, bytes);

        assertThatThrownBy(() -> read(damaged))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("the gzip data is damaged");
    }

    @Test
    void read_lineWithoutEnd_isNotKept() {
        assertThatThrownBy(() -> read(file("x.bin", BORN + "x".repeat(1 << 20))))
                .isInstanceOf(InputException.class)
                .hasMessageContaining(
                        "x.bin, line 2: a line of a JVM's log has at most 65536 bytes");
    }

    @Test
    void read_brokenRuleOfTheSink_namesTheLine() {
        Owners owners = new Owners();

        assertThatThrownBy(
                        () ->
                                new MetaspaceLog(List.of(file("x.log", REQUESTED)))
                                        .read(owners::apply))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log, line 1: an arena is born before it requests")
                .hasMessageContaining("arena=0x000000000000001f");
    }

    private MetaspaceLog.Extent read(Path... files) throws InputException {
        return new MetaspaceLog(List.of(files)).read(events::add);
    }

    private static String later(String line) {
        return line.replace("[0.0", "[9.0");
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }
}
