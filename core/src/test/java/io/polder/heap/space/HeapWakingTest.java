package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.background.Background;
import io.polder.background.ThreadsMade;
import io.polder.gate.Gate;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjLongConsumer;

/** Who has the background woken, which takes a lock and starts a thread, is outside of the gate. */
class HeapWakingTest extends HeapFixture {
    /** When an object of it has died, the background looks. */
    private static final long BYTES = 200 * KIB;

    /** What lets an object die. */
    enum Death {
        FREED(RelocatingHeap::free),
        FREED_WITH_OTHERS((heap, handle) -> heap.freeAll(new long[] {handle})),
        FREED_BEFORE_A_STALE_ONE(
                (heap, handle) ->
                        assertThatThrownBy(() -> heap.freeAll(new long[] {handle, 0}))
                                .isInstanceOf(StaleHandleException.class)),
        RESIZED((heap, handle) -> heap.resize(handle, BYTES / 2)),
        NOT_COPIED(
                (heap, _) -> {
                    MemorySegment dead;
                    try (Arena arena = Arena.ofConfined()) {
                        dead = arena.allocate(BYTES);
                    }
                    assertThatThrownBy(() -> heap.allocate(dead))
                            .isInstanceOf(IllegalStateException.class);
                });

        @SuppressWarnings("ImmutableEnumChecker") // a lambda that holds nothing
        private final ObjLongConsumer<RelocatingHeap> way;

        Death(ObjLongConsumer<RelocatingHeap> way) {
            this.way = way;
        }
    }

    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger startedInside = new AtomicInteger();

    private Thread thread(Runnable work) {
        boolean inside =
                StackWalker.getInstance()
                        .walk(
                                frames ->
                                        frames.anyMatch(
                                                frame ->
                                                        frame.getClassName()
                                                                .equals(Gate.class.getName())));
        started.incrementAndGet();
        startedInside.addAndGet(inside ? 1 : 0);
        return Thread.ofPlatform().daemon().unstarted(work);
    }

    @ParameterizedTest
    @EnumSource
    void died_enoughForALook_startsTheThreadOutsideOfTheGate(Death death) {
        Background background = ThreadsMade.by(this::thread);
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(1);
        HeapThreads threads = new HeapThreads(background, background);
        RelocatingHeap heap = heap(pages(64 * MIB), HeapSettings.of(options).withThreads(threads));
        long handle = heap.allocate(BYTES);
        long _ = heap.allocate(BYTES);
        assertThat(started).hasValue(0);
        death.way.accept(heap, handle);
        assertThat(started).hasPositiveValue();
        assertThat(startedInside).hasValue(0);
    }
}
