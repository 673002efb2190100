package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Any thread may use and close the arena. */
interface SharedContract extends ArenaUnderTest {
    int THREADS = 4;

    @Test
    default void use_byOtherThreads_works() {
        Arena arena = open();
        MemorySegment here = arena.allocate(8);
        Paint.paint(here, 1);
        MemorySegment there =
                OtherThread.platform(
                        () -> {
                            assertThat(Paint.isPainted(here, 1)).isTrue();
                            MemorySegment segment = arena.allocate(8);
                            Paint.paint(segment, 2);
                            return segment;
                        });
        OtherThread.virtual(
                () -> {
                    assertThat(Paint.isPainted(there, 2)).isTrue();
                    arena.close();
                    return true;
                });
        assertThat(arena.scope().isAlive()).isFalse();
        assertThat(OtherThread.thrownBy(() -> arena.allocate(8)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    default void isAccessibleBy_otherThreads_isTrue() {
        try (Arena arena = open()) {
            assertThat(arena.allocate(8).isAccessibleBy(new Thread(() -> {}))).isTrue();
        }
    }

    @Test
    default void allocate_byThreadsAtOnce_neverOverlaps() throws Exception {
        try (Arena arena = open()) {
            List<List<MemorySegment>> all =
                    together(
                            number -> {
                                List<MemorySegment> segments = new ArrayList<>();
                                for (int i = 0; i < 300; i++) {
                                    MemorySegment segment = arena.allocate(1L + i % 40, 1);
                                    assertThat(Paint.isZero(segment)).isTrue();
                                    Paint.paint(segment, number);
                                    segments.add(segment);
                                }
                                return segments;
                            });
            List<MemorySegment> segments = new ArrayList<>();
            for (int number = 0; number < THREADS; number++) {
                for (MemorySegment segment : all.get(number)) {
                    assertThat(Paint.isPainted(segment, number)).isTrue();
                    segments.add(segment);
                }
            }
            segments.sort(Comparator.comparingLong(MemorySegment::address));
            for (int i = 1; i < segments.size(); i++) {
                MemorySegment before = segments.get(i - 1);
                assertThat(before.asOverlappingSlice(segments.get(i))).isEmpty();
            }
        }
    }

    @Test
    default void close_byThreadsAtOnce_succeedsOnce() throws Exception {
        for (int round = 0; round < 10; round++) {
            Arena arena = open();
            arena.allocate(8).fill((byte) 0xFF);
            List<@Nullable Throwable> thrown =
                    together(number -> OtherThread.thrownBy(arena::close));
            assertThat(thrown).containsOnlyOnce((Throwable) null);
            assertThat(thrown)
                    .filteredOn(each -> each != null)
                    .allSatisfy(each -> assertThat(each).isInstanceOf(IllegalStateException.class));
        }
    }

    @Test
    default void close_whileOthersAllocate_eitherAllocatesOrThrows() throws Exception {
        for (int round = 0; round < 20; round++) {
            Arena arena = open();
            List<@Nullable Throwable> thrown =
                    together(
                            number ->
                                    OtherThread.thrownBy(
                                            () -> {
                                                if (number == 0) {
                                                    arena.close();
                                                }
                                                while (true) {
                                                    arena.allocate(1).fill((byte) 0xFF);
                                                }
                                            }));
            assertThat(thrown)
                    .allSatisfy(
                            each ->
                                    assertThat(each)
                                            .isInstanceOf(IllegalStateException.class)
                                            .hasMessageContaining("closed"));
            try (Arena next = open()) {
                assertThat(Paint.isZero(next.allocate(Math.max(1, slabBytes())))).isTrue();
            }
        }
    }

    /** What one of several threads does. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T run(int number) throws Exception;
    }

    private static <T extends @Nullable Object> List<T> together(Work<T> work) throws Exception {
        CountDownLatch start = new CountDownLatch(THREADS);
        List<Future<T>> futures = new ArrayList<>();
        List<T> results = new ArrayList<>();
        try (ExecutorService threads = Crew.of(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                Callable<T> task =
                        () -> {
                            start.countDown();
                            Await.open(start);
                            return work.run(number);
                        };
                futures.add(threads.submit(task));
            }
            for (Future<T> future : futures) {
                results.add(future.get());
            }
        }
        return results;
    }
}
