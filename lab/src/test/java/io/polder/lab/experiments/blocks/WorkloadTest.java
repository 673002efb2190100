package io.polder.lab.experiments.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.SizeLaw;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Workloads on contenders of this process, and on one that hands out nonsense. */
class WorkloadTest {
    private static final Duration SHORT = Duration.ofMillis(2);

    @ParameterizedTest
    @MethodSource("contenders")
    void workloads_freeAllTheyHaveAllocated(Contender contender) throws Exception {
        for (Workload workload : Workload.ALL) {
            try (CountingSource source = new CountingSource(contender.open())) {
                TimedRun.Took took = TimedRun.of(workload.maker().make(source, 2, 1, true), SHORT);

                assertThat(source.living).as(workload.id()).isEmpty();
                assertThat(source.allocated).as(workload.id()).hasPositiveValue();
                assertThat(took.cpuNanos()).as(workload.id()).isPositive();
                assertThat(took.operations()).as(workload.id()).isNotNegative();
            }
        }
    }

    @Test
    void larson_hasSuccessors() throws Exception {
        try (CountingSource source = new CountingSource(Contender.POLDER.open())) {
            Workload workload = Workload.withId(Workload.LARSON);
            TimedRun.of(workload.maker().make(source, 1, 1, true), Duration.ofSeconds(1));

            assertThat(source.threads).hasSizeGreaterThan(2);
        }
    }

    @Test
    void xmalloc_freesByOtherThreads() throws Exception {
        try (CountingSource source = new CountingSource(Contender.POLDER.open())) {
            Workload workload = Workload.withId(Workload.XMALLOC);
            TimedRun.Took took =
                    TimedRun.of(workload.maker().make(source, 1, 1, false), Duration.ofSeconds(1));

            assertThat(took.operations()).isPositive();
            assertThat(source.foreign).hasPositiveValue();
        }
    }

    @Test
    void sourceThatHandsOutTwice_isNoticed() {
        for (String id : List.of(Workload.PAIR, Workload.LARSON, Workload.XMALLOC)) {
            Workload workload = Workload.withId(id);
            try (TwiceSource source = new TwiceSource()) {
                assertThatThrownBy(
                                () ->
                                        TimedRun.of(
                                                workload.maker().make(source, 1, 1, false),
                                                Duration.ofMillis(50)))
                        .as(id)
                        .satisfies(
                                thrown ->
                                        assertThat(rootOf(thrown))
                                                .hasMessageContaining(
                                                        "a block keeps what was written"));
            }
        }
    }

    @Test
    void burst_freesMostThenTheRest() throws Exception {
        try (CountingSource source = new CountingSource(Contender.POLDER.open())) {
            Burst burst = new Burst(source, 1 << 20, 7);
            burst.warmUp();
            assertThat(source.living).isEmpty();
            burst.traffic(Duration.ofMillis(10), Duration.ofMillis(20));
            int half = source.living.size();
            burst.traffic(Duration.ofMillis(10), Duration.ofMillis(20));
            int all = source.living.size();
            assertThat(half).isBetween(all / 3, 2 * all / 3);
            burst.freeMost();
            assertThat(source.living).hasSize(all / 20);
            burst.freeRest();
            assertThat(source.living).isEmpty();
        }
    }

    @Test
    void sizes_areThoseOfTheirLaws() {
        BlockSizes pair = BlockSizes.uniform(8, 1000);
        assertThat(pair.ends()).containsExactly(8, 1000);
        assertThat(pair.mean()).isBetween(503.0, 505.0);
        assertThat(SizeLaw.names()).hasSize(12).contains("kvcache", "netty", "churn-data");
        for (String law : SizeLaw.names()) {
            assertThat(BlockSizes.of(SizeLaw.named(law)).ends())
                    .as(law)
                    .allMatch(size -> size >= 8);
        }
        // Means of the laws as published; what is between two quantiles is a guess.
        assertThat(BlockSizes.of(SizeLaw.named("kvcache")).mean()).isBetween(200.0, 500.0);
        assertThat(BlockSizes.of(SizeLaw.named("cdn")).mean()).isBetween(25_000.0, 40_000.0);
    }

    @Test
    void all_moreThreads_whereThereAreProcessors() {
        assertThat(Workload.all(1).getFirst().threads()).containsExactly(1, 2);
        assertThat(Workload.all(2).getFirst().threads()).containsExactly(1, 2);
        assertThat(Workload.all(16).getFirst().threads()).containsExactly(1, 2, 16);
    }

    private static List<Contender> contenders() {
        return Contender.timed(List.of(MallocLibrary.GLIBC));
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Keeps book of what lives. */
    private static final class CountingSource implements BlockSource {
        private final BlockSource source;
        private final ConcurrentHashMap<Long, Long> living = new ConcurrentHashMap<>();
        private final Set<Long> threads = ConcurrentHashMap.newKeySet();
        private final AtomicLong allocated = new AtomicLong();
        private final AtomicLong foreign = new AtomicLong();

        CountingSource(BlockSource source) {
            this.source = source;
        }

        @Override
        public long allocate(long bytes) {
            long address = source.allocate(bytes);
            long thread = Thread.currentThread().threadId();
            assertThat(living.put(address, thread)).isNull();
            threads.add(thread);
            allocated.incrementAndGet();
            return address;
        }

        @Override
        public void free(long address) {
            Long by = living.remove(address);
            assertThat(by).isNotNull();
            if (by != null && by != Thread.currentThread().threadId()) {
                foreign.incrementAndGet();
            }
            source.free(address);
        }

        @Override
        public long reallocate(long address, long bytes) {
            Long by = living.remove(address);
            long moved = source.reallocate(address, bytes);
            living.put(moved, by == null ? 0 : by);
            return moved;
        }

        @Override
        public void giveBack() {
            source.giveBack();
        }

        @Override
        public void close() {
            source.close();
        }
    }

    /** Hands out each block twice. */
    private static final class TwiceSource implements BlockSource {
        private final List<Long> all = new ArrayList<>();
        private final BlockSource source = Contender.POLDER.open();
        private long last;
        private int count;

        @Override
        public synchronized long allocate(long bytes) {
            if (count++ % 2 == 1) {
                return last;
            }
            // Large enough for whatever the other one is.
            last = source.allocate(64 << 10);
            all.add(last);
            return last;
        }

        @Override
        public void free(long address) {
            // Later.
        }

        @Override
        public long reallocate(long address, long bytes) {
            return address;
        }

        @Override
        public void giveBack() {
            source.giveBack();
        }

        @Override
        public synchronized void close() {
            all.forEach(source::free);
            source.close();
        }
    }
}
