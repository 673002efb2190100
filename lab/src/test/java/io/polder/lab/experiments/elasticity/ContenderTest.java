package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Every kind of memory in this process. */
class ContenderTest {
    private static final ClassCatalogue CATALOGUE =
            new ClassCatalogue(new int[][] {{64, 8, 4096}, {88, 16}, {70_000, 24}}, 5);

    @ParameterizedTest
    @MethodSource("contendersHere")
    void run_keepsWhatIsWrittenAndGivesItBack(Contender contender) throws Exception {
        for (Workload workload :
                List.of(
                        new Workload("clusters", 5, 30, 2, 1, 1, true, 1),
                        new Workload("threads", 3, 30, 2, 1, 3, true, 1),
                        new Workload("turns", 4, 30, 5, 0.2, 1, false, 1))) {
            Findings findings = new Findings();
            try (TimedThreads threads = new TimedThreads(workload.threads());
                    OwnedMemory memory = contender.open(workload, CATALOGUE)) {
                long verified =
                        new WorkloadRun(workload, CATALOGUE, threads, memory, findings)
                                .run(2, Duration.ZERO);

                assertThat(verified).as(workload.id()).isPositive();
            }
            for (Sample sample : findings.points(Sample.class)) {
                if (contender.library() == null) {
                    assertThat(sample.committedBytes())
                            .as("%s %s", workload.id(), sample.stage())
                            .isGreaterThanOrEqualTo(sample.usedBytes());
                } else {
                    assertThat(sample.committedBytes()).isEqualTo(Sample.UNKNOWN);
                }
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("steadyContendersHere")
    void steadyRun_samplesEachCycleAndKeepsItsMemory(Contender contender) throws Exception {
        Workload workload = new Workload("clusters", 5, 70, 2, 1, 1, true, 1);
        Findings findings = new Findings();
        try (TimedThreads threads = new TimedThreads(workload.threads());
                OwnedMemory memory = contender.open(workload, CATALOGUE)) {
            long verified =
                    new SteadyRun(workload, CATALOGUE, threads, memory, findings)
                            .run(Duration.ZERO);

            assertThat(verified).isPositive();
        }
        assertThat(findings.points(Sample.class))
                .hasSize(SteadyRun.CYCLES)
                .allSatisfy(
                        sample -> {
                            assertThat(sample.stage()).isEqualTo(Stage.STEADY);
                            assertThat(sample.usedBytes()).isZero();
                            assertThat(sample.loadNanos()).isPositive();
                            assertThat(sample.unloadNanos()).isPositive();
                        });
        if (contender.library() == null) {
            assertThat(findings.points(Sample.class))
                    .extracting(Sample::committedBytes)
                    .doesNotContain(0L);
        }
    }

    @Test
    void blocks_ofMalloc_areAligned() {
        Workload workload = new Workload("x", 2, 1, 1, 1, 1, false, 1);
        for (Contender contender : contendersHere()) {
            try (OwnedMemory memory = contender.open(workload, CATALOGUE)) {
                memory.open(1);
                assertThat(memory.allocate(1, 24) % OwnedMemory.ALIGNMENT).isZero();
                memory.close(1);
            }
        }
    }

    @Test
    void id_ofEach_isItsOwn() {
        assertThat(Contender.all(Set.copyOf(Contender.LIBRARIES)))
                .extracting(Contender::id)
                .doesNotHaveDuplicates();
        assertThat(Contender.malloc(Kind.LISTED, MallocLibrary.JEMALLOC).id())
                .isEqualTo("jemalloc-listed");
    }

    @Test
    void malloc_withoutLibrary_isRefused() {
        assertThatThrownBy(() -> new Contender(Kind.IDEAL, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kind=IDEAL, library=null");
    }

    private static List<Contender> contendersHere() {
        return Contender.all(Set.of(MallocLibrary.GLIBC));
    }

    private static List<Contender> steadyContendersHere() {
        return contendersHere().stream()
                .filter(contender -> contender.kind() == Kind.STEADY)
                .toList();
    }
}
