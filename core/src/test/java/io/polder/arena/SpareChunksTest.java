package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Paint;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A thread uses one object for what its arenas hold that outgrow a slab, one after the other. */
class SpareChunksTest {
    private static final long SLAB = 4096;
    private static final long GROWN = 3 * SLAB;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(SLAB, 4);

    @Test
    void close_thenGrow_theNextArenaHasTheSameObject() {
        Object first = chunksOfNext();
        long used = Slabs.usedBytes(memory);
        for (int i = 0; i < 10; i++) {
            assertThat(chunksOfNext()).isSameAs(first);
        }
        assertThat(Slabs.usedBytes(memory)).isEqualTo(used);
    }

    @Test
    void grow_whileAnotherHasIt_hasOneOfItsOwn() {
        for (boolean firstInFirstOut : new boolean[] {false, true, false}) {
            List<Arena> arenas = new ArrayList<>();
            List<MemorySegment> segments = new ArrayList<>();
            List<Object> objects = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Arena arena = memory.openConfined();
                arena.allocate(100); // so that the slab is the first chunk
                segments.add(arena.allocate(GROWN));
                assertThat(Paint.isZero(segments.get(i))).isTrue();
                Paint.paint(segments.get(i), i);
                arenas.add(arena);
                objects.add(SlabAudit.field(arena, "chunks"));
            }
            assertThat(objects).doesNotHaveDuplicates();
            for (int i = 0; i < 3; i++) {
                int at = firstInFirstOut ? i : 2 - i;
                assertThat(Paint.isPainted(segments.get(at), at)).isTrue();
                arenas.get(at).close();
            }
        }
    }

    @Test
    void allocate_afterClose_leavesTheNextArenaAlone() {
        Arena closed = memory.openConfined();
        closed.allocate(GROWN);
        closed.close();
        try (Arena arena = memory.openConfined()) {
            MemorySegment segment = arena.allocate(GROWN);
            assertThat(SlabAudit.field(arena, "chunks"))
                    .isSameAs(SlabAudit.field(closed, "chunks"));
            Paint.paint(segment, 1);
            long used = Slabs.usedBytes(memory);
            for (long bytes : new long[] {0, 8, SLAB + 1, GROWN}) {
                assertThatThrownBy(() -> closed.allocate(bytes))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("Already closed");
            }
            assertThatThrownBy(closed::close).isInstanceOf(IllegalStateException.class);
            assertThat(Paint.isPainted(segment, 1)).isTrue();
            assertThat(Slabs.usedBytes(memory)).isEqualTo(used);
        }
    }

    @Test
    void close_afterManyChunks_keepsLittle() {
        ConfinedChunks object;
        try (Arena arena = memory.openConfined()) {
            for (int i = 0; i < 200; i++) {
                arena.allocate(300_000);
            }
            object = (ConfinedChunks) SlabAudit.field(arena, "chunks");
            assertThat(object.words).hasSizeGreaterThan(90);
        }
        assertThat(object.words).hasSizeLessThan(50);
        assertThat(chunksOfNext()).isSameAs(object);
    }

    private Object chunksOfNext() {
        try (Arena arena = memory.openConfined()) {
            MemorySegment segment = arena.allocate(GROWN);
            assertThat(Paint.isZero(segment)).isTrue();
            Paint.paint(segment, 7);
            return SlabAudit.field(arena, "chunks");
        }
    }
}
