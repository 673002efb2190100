package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.gate.ScriptedThread;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies of small objects, and small parts of objects, to native memory. */
class SmallCopyTest extends HeapFixture {
    private static final byte UNTOUCHED = 99;
    private static final int ROOM = 128;

    private static byte[] painted(int bytes) {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (i + 1);
        }
        return content;
    }

    private static MemorySegment room(Arena arena) {
        return arena.allocate(ROOM).fill(UNTOUCHED);
    }

    private static void assertCopied(
            MemorySegment to, int at, byte[] content, int from, int bytes) {
        for (int i = 0; i < ROOM; i++) {
            byte wanted = i < at || i >= at + bytes ? UNTOUCHED : content[from + i - at];
            assertThat(to.get(ValueLayout.JAVA_BYTE, i))
                    .as("byte %d of %d", i, bytes)
                    .isEqualTo(wanted);
        }
    }

    @Test
    void get_anySize_copiesThatAndNotMore() {
        RelocatingHeap heap = heap();
        try (Arena arena = Arena.ofConfined()) {
            for (int bytes = 0; bytes <= 80; bytes++) {
                byte[] content = painted(bytes);
                long handle = heap.allocate(MemorySegment.ofArray(content));
                MemorySegment to = room(arena);
                assertThat(heap.get(handle, to)).isEqualTo(bytes);
                assertCopied(to, 0, content, 0, bytes);
                MemorySegment exactly = room(arena);
                assertThat(heap.get(handle, exactly.asSlice(3, bytes))).isEqualTo(bytes);
                assertCopied(exactly, 3, content, 0, bytes);
                MemorySegment less = room(arena);
                int fewer = bytes * 2 / 3;
                assertThat(heap.get(handle, less.asSlice(5, fewer))).isEqualTo(bytes);
                assertCopied(less, 5, content, 0, fewer);
                long seen = heap.session(each -> each.get(handle, less.asSlice(5, fewer)));
                assertThat(seen).isEqualTo(bytes);
            }
        }
    }

    @Test
    void get_anyPart_fillsTheSegment() {
        RelocatingHeap heap = heap();
        byte[] content = painted(100);
        long handle = heap.allocate(MemorySegment.ofArray(content));
        try (Arena arena = Arena.ofConfined()) {
            for (int bytes = 0; bytes <= 70; bytes++) {
                for (int offset : new int[] {0, 1, 8, 29, 100 - bytes}) {
                    MemorySegment to = room(arena);
                    heap.get(handle, offset, to.asSlice(5, bytes));
                    assertCopied(to, 5, content, offset, bytes);
                }
            }
        }
    }

    @Test
    void get_smallToNative_entersNoCriticalSection() {
        RelocatingHeap heap = heap();
        assumeTrue(space(heap).pages.leftMapped);
        byte[] content = painted(SmallCopy.MAX_BYTES);
        long handle = heap.allocate(MemorySegment.ofArray(content));
        long larger = heap.allocate(SmallCopy.MAX_BYTES + 1);
        space(heap).access.close(); // nobody can enter
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = room(arena);
            heap.get(handle, to);
            assertCopied(to, 0, content, 0, SmallCopy.MAX_BYTES);
            MemorySegment part = room(arena);
            heap.get(handle, 4, part.asSlice(0, SmallCopy.MIN_BYTES));
            assertCopied(part, 0, content, 4, SmallCopy.MIN_BYTES);
            assertThatIllegalStateException().isThrownBy(() -> heap.get(larger, to));
            assertThatIllegalStateException()
                    .isThrownBy(() -> heap.get(handle, MemorySegment.ofArray(new byte[64])));
        } finally {
            space(heap).access.reopen();
        }
    }

    @Test
    void get_badSegmentsAndHandles_areRefusedAndNothingIsWritten() {
        RelocatingHeap heap = heap();
        long handle = heap.allocate(MemorySegment.ofArray(painted(40)));
        long gone = heap.allocate(40);
        heap.free(gone);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = room(arena);
            assertOutside(() -> heap.get(handle, 33, to.asSlice(0, 8)));
            assertOutside(() -> heap.get(handle, -1, to.asSlice(0, 8)));
            assertOutside(() -> heap.get(handle, Long.MAX_VALUE, to.asSlice(0, 8)));
            assertThatExceptionOfType(StaleHandleException.class)
                    .isThrownBy(() -> heap.get(gone, to));
            assertThatExceptionOfType(StaleHandleException.class)
                    .isThrownBy(() -> heap.get(gone, 0, to.asSlice(0, 8)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> heap.get(handle, to.asReadOnly()));
            try (ScriptedThread other = ScriptedThread.platform()) {
                other.run(
                        () ->
                                assertThatExceptionOfType(WrongThreadException.class)
                                        .isThrownBy(() -> heap.get(handle, to)));
            }
            assertCopied(to, 0, new byte[0], 0, 0);
        }
        Arena over = Arena.ofConfined();
        MemorySegment dead = over.allocate(40);
        over.close();
        assertThatIllegalStateException().isThrownBy(() -> heap.get(handle, dead));
    }

    private static void assertOutside(ThrowingCallable use) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(use);
    }

    @Test
    void get_toTheObjectItself_changesNothing() {
        RelocatingHeap heap = heap();
        byte[] content = painted(48);
        long handle = heap.allocate(MemorySegment.ofArray(content));
        heap.update(handle, bytes -> heap.get(handle, bytes));
        heap.update(handle, bytes -> heap.get(handle, 0, bytes.asSlice(8, 40)));
        byte[] found = heap.toArray(handle);
        for (int i = 0; i < found.length; i++) {
            assertThat(found[i]).isEqualTo(content[i < 8 ? i : i - 8]);
        }
    }
}
