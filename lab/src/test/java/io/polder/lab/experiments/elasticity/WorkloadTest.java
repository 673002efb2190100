package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.Findings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Who is loaded and freed, when, how much and by which thread. */
class WorkloadTest {
    private static final ClassCatalogue CATALOGUE =
            new ClassCatalogue(new int[][] {{8}, {16, 8}, {104, 24, 8}}, 1);

    @ParameterizedTest
    @MethodSource("smallWorkloads")
    void run_opensLoadsAndFreesEveryLoaderOnce(Workload workload) throws Exception {
        try (RecordingMemory memory = new RecordingMemory()) {
            List<Sample> samples = run(workload, memory, 3);

            int[] loaders = IntStream.range(0, workload.loadersEver()).toArray();
            assertThat(memory.opened).hasSameSizeAs(loaders).doesNotHaveDuplicates();
            assertThat(memory.closed).containsExactlyInAnyOrderElementsOf(memory.opened);
            for (int loader : loaders) {
                long expected = 0;
                for (int position = 0; position < workload.classes(); position++) {
                    expected += IntStream.of(CATALOGUE.blocks(loader, position)).sum();
                }
                assertThat(memory.bytes.get(loader)).isEqualTo(expected);
                assertThat(memory.threads.get(loader)).hasSize(1);
            }
            assertThat(memory.threads.values().stream().flatMap(names -> names.stream()).distinct())
                    .hasSize(workload.threads());
            assertThat(samples.getLast().stage()).isEqualTo(Stage.END);
            assertThat(samples.getLast().usedBytes()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("smallWorkloads")
    void run_valleyHoldsOneGeneration(Workload workload) throws Exception {
        try (RecordingMemory memory = new RecordingMemory()) {
            List<Sample> samples = run(workload, memory, 1);

            int survivor = workload.reload() ? 0 : workload.generations() - 1;
            long expected =
                    IntStream.range(0, workload.loadersPerWave())
                            .filter(loader -> loader % workload.generations() == survivor)
                            .mapToLong(loader -> memory.bytes.getOrDefault(loader, 0L))
                            .sum();
            assertThat(used(samples, Stage.VALLEY)).isEqualTo(expected);
            assertThat(used(samples, Stage.TRIMMED)).isEqualTo(expected);
            assertThat(used(samples, Stage.PEAK)).isGreaterThan(expected);
            if (workload.reload()) {
                long again =
                        IntStream.range(workload.loadersPerWave(), workload.loadersEver())
                                .mapToLong(loader -> memory.bytes.getOrDefault(loader, 0L))
                                .sum();
                assertThat(used(samples, Stage.AGAIN)).isEqualTo(expected + again);
            }
        }
    }

    @Test
    void run_clusters_loadAllClassesOfALoaderAtOnceAndFreeTheYoungestFirst() throws Exception {
        Workload workload = new Workload("x", 3, 2, 4, 1, 1, true, 1);
        try (RecordingMemory memory = new RecordingMemory()) {
            run(workload, memory, 1);

            assertThat(memory.opened).isSorted();
            assertThat(memory.allocatedBy).isSorted();
            assertThat(memory.closed).containsExactly(2, 5, 1, 4, 0, 3, 6, 9, 7, 10, 8, 11);
        }
    }

    @Test
    void run_interleaved_loadersTakeTurnsAndTheOldestDieFirst() throws Exception {
        // Two classes a turn, the last turn has one.
        Workload workload = new Workload("x", 2, 2, 5, 0.4, 1, false, 1);
        ClassCatalogue oneBlock = new ClassCatalogue(new int[][] {{8}}, 1);
        try (RecordingMemory memory = new RecordingMemory();
                TimedThreads threads = new TimedThreads(1)) {
            new WorkloadRun(workload, oneBlock, threads, memory, new Findings())
                    .run(1, Duration.ZERO);

            assertThat(memory.allocatedBy)
                    .containsExactly(0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3);
            assertThat(memory.closed).containsExactly(0, 2, 1, 3);
        }
    }

    @Test
    void run_samplesTheWayUpAndDown() throws Exception {
        Workload workload = new Workload("x", 5, 4, 3, 1, 1, true, 1);
        try (RecordingMemory memory = new RecordingMemory()) {
            List<Sample> samples = run(workload, memory, 4);

            assertThat(samples.stream().map(Sample::stage).distinct())
                    .containsExactly(
                            Stage.LOADING,
                            Stage.PEAK,
                            Stage.FREEING,
                            Stage.VALLEY,
                            Stage.TRIMMED,
                            Stage.RELOADING,
                            Stage.AGAIN,
                            Stage.DRAINING,
                            Stage.EMPTY,
                            Stage.END);
            assertThat(samples.stream().filter(sample -> sample.stage() == Stage.LOADING))
                    .hasSize(4)
                    .isSortedAccordingTo((a, b) -> Long.compare(a.usedBytes(), b.usedBytes()));
        }
    }

    @Test
    void all_haveTheSizesOfTheIssue() {
        assertThat(Workload.ALL)
                .extracting(Workload::id)
                .containsExactly(
                        "5x80x100",
                        "threads5",
                        "5x8000x1",
                        "5x5000x3",
                        "10x1000x2",
                        "10x250x8",
                        "10x5x400");
        assertThat(Workload.ALL)
                .extracting(workload -> workload.loadersPerWave() * workload.classes())
                .containsExactly(40_000, 40_000, 40_000, 75_000, 20_000, 20_000, 20_000);
        assertThat(Workload.withId("10x1000x2").classesPerTurn()).isEqualTo(1);
        assertThat(Workload.withId("10x250x8").classesPerTurn()).isEqualTo(3);
        assertThat(Workload.withId("10x5x400").classesPerTurn()).isEqualTo(4);
        assertThatThrownBy(() -> Workload.withId("5x80"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such workload: id=5x80");
    }

    @Test
    void scaledDown_keepsAtLeastOneLoader() {
        assertThat(Workload.withId("5x80x100").scaledDown(8).loaders()).isEqualTo(10);
        Workload least = Workload.withId("10x5x400").scaledDown(8);
        assertThat(least.loaders()).isEqualTo(1);
        assertThat(least.inWords()).isEqualTo("10 generations of a loader with 400 classes each.");
        assertThat(Workload.withId("5x8000x1").inWords())
                .isEqualTo("5 generations of 8000 loaders with a class each.");
    }

    private static List<Workload> smallWorkloads() {
        return Workload.ALL.stream().map(workload -> workload.scaledDown(500)).toList();
    }

    private static List<Sample> run(Workload workload, OwnedMemory memory, int points)
            throws Exception {
        Findings findings = new Findings();
        try (TimedThreads threads = new TimedThreads(workload.threads())) {
            new WorkloadRun(workload, CATALOGUE, threads, memory, findings)
                    .run(points, Duration.ZERO);
        }
        return findings.points(Sample.class);
    }

    private static long used(List<Sample> samples, Stage stage) {
        return samples.reversed().stream()
                .filter(sample -> sample.stage() == stage)
                .findFirst()
                .orElseThrow()
                .usedBytes();
    }
}
