package io.polder.lab.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a measuring JVM says, and what is kept of it. */
class RecordingTest {
    private final Recording recording = new Recording();

    @Test
    void line_andBack_isTheSame() {
        Sample sample = new Sample(Stage.VALLEY, 1, 2, 3, 4, 5, 6, -1, 8);

        assertThat(sample.line()).isEqualTo("valley 1 2 3 4 5 6 -1 8");
        assertThat(Sample.parse(sample.line())).isEqualTo(sample);
    }

    @Test
    void mapLine_andBack_isTheSame() {
        String map = "A = 4 MiB; upper case: in use\n0x7f0000000000  0K  Bb\n\nend\n";
        String line = Recording.mapLine(Stage.PEAK, map);

        recording.accept(line);

        assertThat(line).doesNotContain("\n");
        assertThat(recording.map(Stage.PEAK)).isEqualTo(map);
        assertThat(recording.map(Stage.END)).isEmpty();
    }

    @Test
    void take_looksAtThisProcess() {
        Sample sample = Sample.take(Stage.PEAK, 1, 2, 3, 4, 5);

        assertThat(sample.rssBytes()).isGreaterThan(1 << 20);
        assertThat(sample.maps()).isGreaterThan(10);
        assertThat(sample.numbers()).hasSameSizeAs(Sample.NUMBERS);
    }

    @Test
    void accept_garbage_isRefused() {
        for (String line :
                List.of(
                        "",
                        "peak",
                        "peak 1 2 3 4 5 6 7",
                        "peak 1 2 3 4 5 6 7 8 9",
                        "peak 1 2 3 4 5 6 7 x",
                        "peak 1 2 3 4 5 6 7 -2",
                        "summit 1 2 3 4 5 6 7 8",
                        "map peak",
                        "map summit x",
                        "done")) {
            assertThatThrownBy(() -> recording.accept(line))
                    .as(line)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void isComplete_needsTheEnd() {
        recording.accept("base 0 0 0 0 -1 1000 0 10");
        assertThat(recording.isComplete()).isFalse();
        recording.accept("end 0 0 0 0 -1 1000 0 10");
        assertThat(recording.isComplete()).isFalse();
        recording.accept("done 12");
        assertThat(recording.isComplete()).isTrue();
        assertThatThrownBy(() -> recording.accept("end 0 0 0 0 -1 1000 0 10"))
                .hasMessageContaining("nothing follows the end");
    }

    @Test
    void steadySeconds_areTheMedianOfTheCycles() {
        recording.accept("steady 1 1 3000000000 0 -1 1000 0 10");
        recording.accept("steady 1 1 2000000000 0 -1 1000 0 10");
        recording.accept("steady 1 1 9000000000 0 -1 1000 0 10");
        assertThat(recording.isComplete()).isFalse();
        recording.accept("done 12");

        assertThat(recording.isComplete()).isTrue();
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
    void timeline_isOneFileForEachContender(@TempDir Path directory) throws Exception {
        record();
        Workload workload = Workload.withId("10x5x400");
        Contender glibc = Contender.withId("glibc-listed");

        Timeline.write(
                directory,
                new Measurement(
                        workload,
                        Map.of(
                                Contender.POLDER,
                                List.of(recording, recording),
                                glibc,
                                List.of(recording))));

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
        recording.accept("base 0 0 0 0 -1 100000 -1 10");
        recording.accept("peak 2000000000 0 0 1000 1500 1000000 -1 17");
        recording.accept("trimmed 2000000000 1000000000 0 100 120 200000 -1 12");
        recording.accept("end 3000000000 1000000000 2000000000 0 0 90000 -1 11");
        recording.accept("done 3");
    }
}
