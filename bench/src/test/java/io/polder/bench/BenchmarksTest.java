package io.polder.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** Every benchmark still runs, with every parameter. No time is asserted. */
class BenchmarksTest {
    @Test
    void everyBenchmark_runsOnceWithEachParameter() throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include("^io\\.polder\\.bench\\.")
                                        .forks(0)
                                        .param("mib", "64")
                                        .warmupIterations(0)
                                        .measurementIterations(1)
                                        .measurementTime(TimeValue.milliseconds(1))
                                        .shouldFailOnError(true)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();

        Set<String> classes =
                results.stream()
                        .map(result -> result.getParams().getBenchmark())
                        .map(name -> name.substring("io.polder.bench.".length()))
                        .map(name -> name.substring(0, name.indexOf('.')))
                        .collect(Collectors.toSet());
        assertThat(classes)
                .containsExactlyInAnyOrder(
                        "ClearingMemory",
                        "ConfinedAllocation",
                        "ThreeAllocations",
                        "NestedArenas",
                        "NettyBuffers",
                        "ArrowBuffers",
                        "BlockAllocation",
                        "CrossThreadBuffers",
                        "ScrapingMeters",
                        "EmptyArena",
                        "VirtualThreadAllocation",
                        "StringAllocation",
                        "SharedAllocation",
                        "DeferredAllocation",
                        "ArenaGrowth",
                        "GrowingArena",
                        "RecyclingAllocation",
                        "GivingChunks",
                        "ChunkTurnover",
                        "WakingTask",
                        "GateEnterLeave",
                        "ShiftingMemory",
                        "CleaningGranules",
                        "PageTurnover",
                        "ForeignCalls");
        assertThat(results)
                .allSatisfy(
                        result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
