package io.polder.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
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
    /** Of arenas, blocks, pages and gates. */
    private static final Set<String> SOME =
            Set.of("ConfinedAllocation", "BlockAllocation", "PageTurnover", "GateEnterLeave");

    private static final Set<String> ALL =
            Set.of(
                    "ClearingMemory",
                    "ConfinedAllocation",
                    "ThreeAllocations",
                    "NestedArenas",
                    "NettyBuffers",
                    "ArrowBuffers",
                    "BlockAllocation",
                    "CrossThreadBuffers",
                    "BufferWindow",
                    "ScrapingMeters",
                    "EmptyArena",
                    "VirtualThreadAllocation",
                    "StringAllocation",
                    "LongStringAllocation",
                    "SharedAllocation",
                    "DeferredAllocation",
                    "ArenaGrowth",
                    "GrowingArena",
                    "FreeingAllocation",
                    "GivingChunks",
                    "ChunkTurnover",
                    "WakingTask",
                    "GateEnterLeave",
                    "ShiftingMemory",
                    "CleaningGranules",
                    "PageTurnover",
                    "ForeignCalls");

    @Test
    void someBenchmarks_runOnceWithEachParameter() throws RunnerException {
        assertThat(run("(" + String.join("|", SOME) + ")\\.")).isEqualTo(SOME);
    }

    @Tag("full")
    @Test
    void everyBenchmark_runsOnceWithEachParameter() throws RunnerException {
        assertThat(run("")).isEqualTo(ALL);
    }

    /** Runs benchmarks whose name begins so, and returns their classes. */
    private static Set<String> run(String begin) throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include("^io\\.polder\\.bench\\." + begin)
                                        .forks(0)
                                        .param("mib", "64")
                                        .warmupIterations(0)
                                        .measurementIterations(1)
                                        .measurementTime(TimeValue.milliseconds(1))
                                        .shouldFailOnError(true)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();
        assertThat(results)
                .allSatisfy(
                        result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
        return results.stream()
                .map(result -> result.getParams().getBenchmark())
                .map(name -> name.substring("io.polder.bench.".length()))
                .map(name -> name.substring(0, name.indexOf('.')))
                .collect(Collectors.toSet());
    }
}
