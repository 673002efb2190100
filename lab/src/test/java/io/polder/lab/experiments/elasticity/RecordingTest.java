package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.PoolMap;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Wire;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a measuring JVM says, and what is kept of it. */
class RecordingTest {
    private final Findings findings = new Findings();
    private final Recording recording = new Recording(findings);

    @Test
    void map_isThatOfItsStage() {
        PoolMap map =
                new PoolMap(
                        List.of(
                                new PoolMap.Piece("USED", 2 << 20, 2 << 20),
                                new PoolMap.Piece("FREE", 2 << 20, 0)),
                        List.of(new PoolMap.Area("chunks", 0x7f0000000000L, 4096, List.of(0, 1))));
        findings.text(Recording.map(Stage.PEAK), Wire.line(map));

        assertThat(recording.mapAt(Stage.PEAK)).contains(map);
        assertThat(recording.mapAt(Stage.END)).isEmpty();
    }

    @Test
    void take_looksAtThisProcess() {
        Sample sample = Sample.take(Stage.PEAK, 1, 2, 3, 4, 5);

        assertThat(sample.rssBytes()).isGreaterThan(1 << 20);
        assertThat(sample.maps()).isGreaterThan(10);
        assertThat(sample.numbers()).hasSameSizeAs(Sample.NUMBERS);
    }

    @Test
    void steadySeconds_areTheMedianOfTheCycles() {
        findings.point(new Sample(Stage.STEADY, 1, 1, 3000000000L, 0, -1, 1000, 0, 10));
        findings.point(new Sample(Stage.STEADY, 1, 1, 2000000000, 0, -1, 1000, 0, 10));
        findings.point(new Sample(Stage.STEADY, 1, 1, 9000000000L, 0, -1, 1000, 0, 10));

        assertThat(recording.steadySeconds()).isEqualTo(3);
    }

    @Test
    void figures_areDifferencesToTheBase() {
        record();

        assertThat(recording.loadSeconds()).isEqualTo(3);
        assertThat(recording.unloadSeconds()).isEqualTo(1);
        assertThat(recording.cpuSeconds()).isEqualTo(2);
        assertThat(recording.rssGrowth(Stage.PEAK)).isEqualTo(900_000);
        // Less than at the base counts as a page, so that it can be divided by.
        assertThat(recording.rssGrowth(Stage.END)).isEqualTo(4096);
        assertThat(recording.committedOverUsed(Stage.PEAK)).isEqualTo(1.5);
        assertThat(recording.mapsAdded()).isEqualTo(7);
        assertThatThrownBy(() -> recording.at(Stage.AGAIN))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void rawData_isOneFileForEachContender(@TempDir Path directory) throws Exception {
        record();
        Workload workload = Workload.withId("10x5x400");
        Contender glibc = Contender.malloc(Contender.Kind.LISTED, MallocLibrary.GLIBC);

        new Measurement(
                        workload,
                        Map.of(
                                Contender.POLDER,
                                List.of(recording, recording),
                                glibc,
                                List.of(recording)))
                .writeRawData(directory);

        assertThat(directory.resolve("10x5x400-glibc-listed.csv")).exists();
        assertThat(Files.readAllLines(directory.resolve("10x5x400-polder.csv")))
                .containsExactly(
                        "round,stage,load_ns,unload_ns,cpu_ns,used,committed,rss,cgroup,maps",
                        "1,base,0,0,0,0,,100000,,10",
                        "1,peak,2000000000,0,0,1000,1500,1000000,,17",
                        "1,trimmed,2000000000,1000000000,0,100,120,200000,,12",
                        "1,end,3000000000,1000000000,2000000000,0,0,90000,,11",
                        "2,base,0,0,0,0,,100000,,10",
                        "2,peak,2000000000,0,0,1000,1500,1000000,,17",
                        "2,trimmed,2000000000,1000000000,0,100,120,200000,,12",
                        "2,end,3000000000,1000000000,2000000000,0,0,90000,,11");
    }

    private void record() {
        findings.point(new Sample(Stage.BASE, 0, 0, 0, 0, -1, 100000, -1, 10));
        findings.point(new Sample(Stage.PEAK, 2000000000, 0, 0, 1000, 1500, 1000000, -1, 17));
        findings.point(
                new Sample(Stage.TRIMMED, 2000000000, 1000000000, 0, 100, 120, 200000, -1, 12));
        findings.point(
                new Sample(Stage.END, 3000000000L, 1000000000, 2000000000, 0, 0, 90000, -1, 11));
    }
}
