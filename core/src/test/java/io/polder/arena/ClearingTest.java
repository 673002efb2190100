package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.Paint;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.FreeMemory;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** When memory of arenas is cleared, and by whom. */
class ClearingTest {
    private static final long KIB = 1 << 10;
    private static final long SLAB = 16 * KIB;
    private static final byte PAINT = 0x5a;

    @RegisterExtension final Slabs fixture = new Slabs();

    private ArenaFactory memory = make(false);

    private ArenaFactory make(boolean clearsAtClose) {
        ChunkSource source =
                Slabs.source(
                        Providers.choose().provider(),
                        MemoryLimits.NONE,
                        SLAB,
                        clearsAtClose,
                        new RecordingListener());
        return fixture.watch(Slabs.memory(source, 2));
    }

    private ChunkSpace space() {
        return memory.source().space;
    }

    @SuppressWarnings("restricted")
    private static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Opens an arena, has it paint so many bytes, closes it, and returns where they were. */
    private long leave(long bytes) {
        try (Arena arena = memory.openShared()) {
            MemorySegment segment = arena.allocate(bytes);
            segment.fill(PAINT);
            return segment.address();
        }
    }

    @Test
    void close_muchMemory_isLeftAsItIs_andClearedForTheNext() {
        long before = leave(100 * KIB);
        assertThat(memory(before, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(PAINT);
        try (Arena arena = memory.openShared()) {
            MemorySegment segment = arena.allocate(100 * KIB);
            assertThat(segment.address()).isEqualTo(before);
            assertThat(Paint.isZero(segment)).isTrue();
        }
    }

    /** What is handed out little by little is cleared in windows, not all at once. */
    @Test
    void allocate_littleOfMuch_clearsAWindow() {
        long before = leave(100 * KIB);
        try (Arena arena = memory.openShared()) {
            MemorySegment much = arena.allocate(70 * KIB);
            assertThat(much.address()).isEqualTo(before);
            assertThat(memory(before + 90 * KIB, 1).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(PAINT);
            for (long at = 70 * KIB; at < 99 * KIB; at += 100) {
                MemorySegment little = arena.allocate(100, 4);
                assertThat(Paint.isZero(little)).isTrue();
                little.fill((byte) 1);
            }
        }
    }

    /** No byte between what was overwritten and what comes next is anybody else's. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void allocateFrom_array_isNotClearedFirst_andNothingElseShows(int kind) {
        for (int round = 0; round < 20; round++) {
            leave(200 * KIB);
            try (Arena arena =
                    switch (kind) {
                        case 0 -> memory.openConfined();
                        case 1 -> memory.openShared();
                        default -> memory.openDeferred();
                    }) {
                byte[] content = new byte[30_001 + round];
                Arrays.fill(content, (byte) round);
                MemorySegment first = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
                MemorySegment zero = arena.allocate(11, 1);
                MemorySegment second = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
                MemorySegment more = arena.allocate(20 * KIB, 64);
                assertThat(first.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
                assertThat(second.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
                assertThat(Paint.isZero(zero) && Paint.isZero(more)).isTrue();
            }
            Await.until(() -> !memory.tick());
        }
    }

    /** What is long is not put into the slab, which would have to be cleared; the slab stays. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allocateFrom_muchOfASlab_takesAChunk_andTheSlabIsUsedOn(boolean small) {
        byte[] content = new byte[10_000];
        Arrays.fill(content, PAINT);
        for (int round = 0; round < 20; round++) {
            try (Arena arena = memory.openConfined()) {
                MemorySegment before = small ? arena.allocate(100) : MemorySegment.NULL;
                MemorySegment all = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
                MemorySegment string = arena.allocateFrom("x".repeat(12_000));
                MemorySegment after = arena.allocate(3000);
                assertThat(all.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
                assertThat(string.getString(0)).hasSize(12_000);
                assertThat(Paint.isZero(before) && Paint.isZero(after)).isTrue();
                assertThat(all.address() / SLAB).isNotEqualTo(before.address() / SLAB);
                after.fill(PAINT);
            }
            try (Arena arena = memory.openConfined()) {
                assertThat(Paint.isZero(arena.allocate(SLAB))).isTrue();
            }
        }
    }

    /** Nothing was allocated, so the slab has as much room as before. */
    @Test
    void allocateFrom_muchOfASlab_thatIsRefused_leavesTheSlab() {
        byte[] content = new byte[9000];
        MemorySegment source = MemorySegment.ofArray(content);
        try (Arena arena = memory.openConfined()) {
            long first = arena.allocate(8).address();
            assertThatThrownBy(
                            () ->
                                    arena.allocateFrom(
                                            ValueLayout.JAVA_LONG,
                                            source,
                                            ValueLayout.JAVA_LONG,
                                            0,
                                            Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(arena.allocate(8000, 8).address()).isEqualTo(first + 8);
        }
    }

    /** A copy that throws leaves memory that is not zero, and nobody gets it. */
    @Test
    void allocateFrom_copyThrows_isNeverSeen() {
        leave(300 * KIB);
        byte[] content = new byte[50_000];
        MemorySegment source = MemorySegment.ofArray(content);
        try (Arena confined = memory.openConfined();
                Arena shared = memory.openShared()) {
            for (Arena arena : List.of(confined, shared)) {
                assertThatThrownBy(
                                () ->
                                        arena.allocateFrom(
                                                ValueLayout.JAVA_BYTE,
                                                source,
                                                ValueLayout.JAVA_BYTE,
                                                10,
                                                content.length))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                for (int i = 0; i < 100; i++) {
                    assertThat(Paint.isZero(arena.allocate(1000))).isTrue();
                }
            }
        }
    }

    /** A thread that does not own the arena cannot make it leave out the clearing. */
    @Test
    void allocateFrom_wrongThread_changesNothing() throws Exception {
        leave(300 * KIB);
        String text = "x".repeat(50_000);
        try (Arena arena = memory.openConfined()) {
            Throwable thrown = OtherThread.thrownOnPlatform(() -> arena.allocateFrom(text));
            assertThat(thrown).isInstanceOf(WrongThreadException.class);
            assertThat(Paint.isZero(arena.allocate(100 * KIB))).isTrue();
        }
    }

    @Test
    void commit_ofWhatAnArenaLeft_readsAsZero() {
        leave(100 * KIB);
        memory.trim();
        assertThat(FreeMemory.markedBytes(space())).isGreaterThanOrEqualTo(100 * KIB);
        List<Long> chunks = new ArrayList<>();
        for (int level = 2; level <= 12; level++) {
            long chunk = space().tryTake(level, level) & Chunk.MASK;
            if (chunk != Chunk.NONE) {
                long end = space().commit(chunk, 0, Chunk.bytes(chunk));
                assertThat(end).isEqualTo(Chunk.bytes(chunk));
                MemorySegment all = memory(Chunk.address(chunk), end);
                assertThat(Paint.isZero(all)).isTrue();
                chunks.add(chunk);
            }
        }
        assertThat(chunks).hasSizeGreaterThan(5);
        assertThat(FreeMemory.dirty(space())).isEmpty();
        chunks.forEach(chunk -> space().give(chunk, 0));
    }

    /** What is given back to the system was not cleared for that. */
    @Test
    void trim_ofWhatAnArenaLeft_makesItZero() {
        leave(100 * KIB);
        memory.trim();
        assertThat(space().trim()).isPositive();
        assertThat(FreeMemory.markedBytes(space())).isZero();
        long _ = leave(100 * KIB);
    }

    @Test
    void close_clearingAtClose_leavesNothing() {
        memory = make(true);
        for (long bytes : new long[] {5000, 20 * KIB, 100 * KIB, 3 << 20}) {
            long at = leave(bytes);
            assertThat(Paint.isZero(memory(at, bytes))).isTrue();
        }
        long page = leave(5 << 20);
        assertThat(Paint.isZero(memory(page, 5 << 20))).isTrue();
        PageSpace pages = memory.source().pages;
        assertThat(pages.statistics().freeDirtyBytes()).isZero();
        String text = "x".repeat(100_000);
        long string;
        try (Arena arena = memory.openConfined()) {
            string = arena.allocateFrom(text).address();
        }
        assertThat(Paint.isZero(memory(string, text.length()))).isTrue();
        memory.trim();
        assertThat(FreeMemory.markedBytes(space())).isZero();
    }

    /** The stack ends at each point of an allocation that clears; nothing of others shows. */
    @Test
    void allocate_stackEndsWhileClearing_showsNothing() throws Exception {
        for (int round = 0; round < 30; round++) {
            long bytes = (20 + 13 * round) * KIB;
            leave(bytes);
            if (round % 3 == 0) {
                memory.trim();
            }
            Deep deep = new Deep(memory, bytes / 2);
            Thread thread = new Thread(null, deep, "deep", 256 << 10);
            thread.start();
            Await.end(thread);
            assertThat(deep.ended).isTrue();
            assertThat(deep.dirty).isZero();
            assertThat(deep.overflows).isPositive();
        }
    }

    /** Allocates in one arena from each depth of the stack, from where it ends upwards. */
    private static final class Deep implements Runnable {
        /** More than the stack has room for. */
        private static final int DEPTH_MAX = 1 << 20;

        private final ArenaFactory memory;
        private final long bytes;
        private final List<MemorySegment> segments = new ArrayList<>(10_000);
        int overflows;
        int dirty;
        boolean ended;

        Deep(ArenaFactory memory, long bytes) {
            this.memory = memory;
            this.bytes = bytes;
        }

        @Override
        public void run() {
            try (Arena confined = memory.openConfined();
                    Arena shared = memory.openShared()) {
                boolean _ = descend(confined, shared, 0);
                for (MemorySegment segment : segments) {
                    dirty += Paint.isZero(segment) ? 0 : 1;
                }
                dirty += Paint.isZero(confined.allocate(bytes)) ? 0 : 1;
                dirty += Paint.isZero(shared.allocate(bytes)) ? 0 : 1;
            }
            ended = true;
        }

        /** Returns whether there is stack enough; nothing more is tried then. */
        private boolean descend(Arena confined, Arena shared, int depth) {
            boolean enough = false;
            try {
                enough = depth == DEPTH_MAX || descend(confined, shared, depth + 1);
            } catch (StackOverflowError end) {
                overflows++;
            }
            if (enough) {
                return true;
            }
            int before = overflows;
            try {
                segments.add(confined.allocate(bytes / 4));
                segments.add(shared.allocate(bytes / 4));
            } catch (StackOverflowError end) {
                overflows++;
            }
            return overflows == before;
        }
    }
}
