package io.polder.lab.experiments.confined;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

class WorkloadTest {
    @Test
    void everyContender_hasABenchmark() {
        Set<String> benchmarks =
                BenchmarkList.defaultList()
                        .getAll(
                                OutputFormatFactory.createFormatInstance(
                                        System.out, VerboseMode.SILENT),
                                List.of())
                        .stream()
                        .map(BenchmarkListEntry::getUsername)
                        .collect(Collectors.toSet());

        for (Workload workload : Workload.ALL) {
            for (Contender contender : workload.contenders()) {
                assertThat(benchmarks).contains(workload.method(contender));
            }
        }
    }

    @Test
    void ids_areUnique() {
        assertThat(Workload.ALL).extracting(Workload::id).doesNotHaveDuplicates();
    }

    @Test
    void withId_findsOrRefuses() {
        assertThat(Workload.withId("3x20").label()).isEqualTo("3 x 20 B");
        assertThatThrownBy(() -> Workload.withId("s6"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id=s6");
    }

    @Test
    void mixed_isTheSameWithAnotherHistory() {
        Workload fresh = Workload.withId("3x5");
        Workload mixed = Workload.withId("mixed.3x5");

        assertThat(mixed.isMixed()).isTrue();
        assertThat(fresh.isMixed()).isFalse();
        assertThat(mixed.goal()).isEqualTo(fresh.goal());
        for (Contender contender : Contender.values()) {
            assertThat(mixed.method(contender)).isEqualTo(fresh.method(contender));
        }
        assertThat(mixed.metric()).isEqualTo("confined.mixed.3x5");
        assertThat(mixed.longLabel()).isEqualTo("3 x 5 B, mixed JVM");
    }

    @Test
    void isLong_fromAQuarterOfAMegabyte() {
        assertThat(Workload.ALL)
                .filteredOn(Workload::isLong)
                .extracting(Workload::id)
                .containsExactly(
                        "s256000",
                        "s1000000",
                        "s8000000",
                        "grow100k",
                        "shared.s100",
                        "shared.s20000",
                        "shared.s1000000");
        assertThat(Workload.ALL)
                .filteredOn(Workload::isHuge)
                .extracting(Workload::id)
                .containsExactly("s1000000", "s8000000", "shared.s1000000");
    }

    @Test
    void jvmArgs_areThoseOfAForkAndRecordedWithoutTemporaryNames() {
        List<String> args = JvmArgs.common(9);

        assertThat(args)
                .contains("-Dpolder.bench.seed=9", "-XX:+UnlockExperimentalVMOptions")
                .anyMatch(arg -> arg.startsWith("-XX:CompileCommandFile="));
        assertThat(JvmArgs.recorded(args))
                .hasSameSizeAs(args)
                .contains("-XX:CompileCommandFile=(of JMH)");
    }
}
