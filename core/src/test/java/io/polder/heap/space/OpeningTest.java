package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.gate.ScriptedThread;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * Regions and leaves are opened outside of the access gate: so whoever waits for a lock there holds
 * up no grace period, nor does who waits behind it. Here the test has a lock that an opener needs.
 */
class OpeningTest extends HeapFixture {
    private static final long LARGE = 5 * MIB;

    private final RelocatingHeap heap = heap();
    private final Object leaves = space(heap).leaves;
    private final Object toSpace = space(heap).compactor.toSpace;

    private static ScriptedThread guest(boolean virtual) {
        return virtual ? ScriptedThread.virtual() : ScriptedThread.platform();
    }

    /** Has two threads wait, of which the second waits for the first. */
    private void bothWaitOutside(boolean virtual, Object lock, Runnable allocation) {
        try (ScriptedThread first = guest(virtual);
                ScriptedThread second = guest(virtual);
                ScriptedThread waiter = ScriptedThread.platform()) {
            FutureTask<Boolean> one;
            FutureTask<Boolean> other;
            synchronized (lock) {
                one = first.beginBlocking(allocation);
                other = second.beginBlocking(allocation);
                waiter.run(space(heap).access::synchronize);
            }
            assertThat(ScriptedThread.get(one)).isFalse();
            assertThat(ScriptedThread.get(other)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void region_isOpenedOutside(boolean virtual) {
        bothWaitOutside(virtual, toSpace, () -> heap.allocate(MIB));
        assertThat(heap.stats().liveObjects()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaf_isOpenedOutside(boolean virtual) {
        bothWaitOutside(virtual, leaves, () -> heap.allocate(0));
        assertThat(heap.stats().liveObjects()).isEqualTo(2);
    }

    /** What a large one begins with takes long to write: it is no object before. */
    @Test
    void contentOfALargeObject_isWrittenOutside() {
        Arena arena = Arena.ofConfined();
        MemorySegment content = arena.allocate(LARGE);
        arena.close();
        assertThatThrownBy(() -> heap.allocate(content)).isInstanceOf(IllegalStateException.class);
        assertThat(heap.stats().regionBytes()).as("nothing was made that is dead now").isZero();
    }

    @Test
    void regionOfAResizedObject_isOpenedOutside() {
        long handle = heap.allocate(0);
        bothWaitOutside(true, toSpace, () -> heap.resize(handle, MIB));
        assertThat(heap.size(handle)).isEqualTo(MIB);
    }

    /** The lock is that of the heap's pages, or that of its leaves: both are taken outside. */
    @Test
    void pageAndLeafOfALargeObject_areTakenOutside() {
        bothWaitOutside(true, leaves, () -> heap.allocate(LARGE));
        bothWaitOutside(true, space(heap).pages, () -> heap.allocate(LARGE));
        bothWaitOutside(true, space(heap).pages, () -> heap.allocateAll(LARGE, new long[2]));
        long handle = heap.allocate(0);
        bothWaitOutside(true, space(heap).pages, () -> heap.resize(handle, LARGE));
        assertThat(heap.stats().liveObjects()).isEqualTo(2 + 2 + 2 * 2 + 1);
    }

    /** The slot is looked for before the content is copied. */
    @Test
    void slotOfAnObjectWithoutContent_isUsedByTheNext() {
        long _ = heap.allocate(0);
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(Long.BYTES);
        }
        for (int i = 0; i < HandleTable.LEAF_SLOTS; i++) {
            assertThatThrownBy(() -> heap.allocate(closed))
                    .isInstanceOf(IllegalStateException.class);
        }
        long _ = heap.allocate(0);
        assertThat(space(heap).leaves.leafCount()).isOne();
    }

    @Test
    void pageOfALargeObject_withoutAHandle_goesBack() {
        RelocatingHeap full = heap(HeapVariant.USUAL, 6 * MIB);
        assertThatThrownBy(() -> full.allocate(LARGE)).isInstanceOf(OutOfMemoryError.class);
        assertThat(space(full).pages.takenBytes()).isZero();
        assertThat(space(full).regions.count()).isZero();
    }

    @Test
    void regionOfManyObjects_isOpenedOutside() {
        long[] handles = {heap.allocate(0), 0, 0};
        bothWaitOutside(true, toSpace, () -> heap.allocateAll(MIB, new long[3]));
        assertThat(heap.stats().liveObjects()).isEqualTo(1 + 2 * 3);
        assertThat(heap.isLive(handles[0])).isTrue();
    }

    private void freeEach(long[] handles) {
        Arrays.stream(handles).forEach(heap::free);
    }

    /** The last one that is freed of the first batch has its leaf filled again. */
    private void freeAllBesidesAStaleOne(long[] handles) {
        heap.free(handles[0]);
        long[] batch = Arrays.copyOfRange(handles, 1, HandleLeaves.REUSED_FROM + 1);
        batch[batch.length - 1] = handles[0];
        assertThatExceptionOfType(StaleHandleException.class).isThrownBy(() -> heap.freeAll(batch));
        heap.freeAll(Arrays.copyOfRange(handles, HandleLeaves.REUSED_FROM, handles.length));
    }

    /** Also of objects whose leaf is to be filled again: who frees waits for nobody. */
    @Test
    void freedObjects_needNoLockOfLeaves() {
        freeWhileLeavesAreLocked(this::freeEach);
        freeWhileLeavesAreLocked(heap::freeAll);
        freeWhileLeavesAreLocked(this::freeAllBesidesAStaleOne);
    }

    private void freeWhileLeavesAreLocked(Consumer<long[]> free) {
        long[] handles = new long[HandleTable.LEAF_SLOTS];
        heap.allocateAll(0, handles);
        try (ScriptedThread freer = ScriptedThread.virtual()) {
            synchronized (leaves) {
                freer.run(() -> free.accept(handles));
            }
        }
        assertThat(heap.stats().liveObjects()).isZero();
    }

    /** The leaf is one that was passed already: its last slots have objects. */
    @Test
    void leafThatIsUsedUp_leavesNoDeadObject() {
        long[] handles = new long[HandleTable.LEAF_SLOTS];
        heap.allocateAll(0, handles);
        heap.freeAll(Arrays.copyOf(handles, HandleLeaves.REUSED_FROM));
        heap.allocateAll(0, new long[HandleLeaves.REUSED_FROM]);
        long _ = heap.allocate(MIB);
        assertThat(space(heap).regions.list())
                .filteredOn(region -> region.type != RegionType.SMALL)
                .singleElement()
                .returns(0L, Region::deadBytes);
    }

    /** Waits until a thread waits in a class, with a lock that another one has. */
    private static void awaitIn(Class<?> code, ScriptedThread thread, FutureTask<?> task) {
        while (thread.thread().getState() != Thread.State.BLOCKED
                || Arrays.stream(thread.thread().getStackTrace())
                        .noneMatch(frame -> frame.getClassName().equals(code.getName()))) {
            assertThat(task.isDone()).isFalse();
            ScriptedThread.pause();
        }
    }

    /** Who opens a region while the heap is closed does so before all regions are given back. */
    @Test
    void heap_isClosedWhileARegionIsOpened_keepsNothing() {
        closeDuringAnAllocation(MIB, toSpace, Allocator.class, Allocator.class);
    }

    /** Who has taken a page for a large object, and no leaf yet, leaves it to the close. */
    @Test
    void heap_isClosedWhileALargeObjectHasAPageOnly_keepsNothing() {
        closeDuringAnAllocation(LARGE, leaves, HandleLeaves.class, HandleLeaves.class);
    }

    private void closeDuringAnAllocation(
            long bytes, Object lock, Class<?> openerWaitsIn, Class<?> closerWaitsIn) {
        HeapSpace space = space(heap);
        try (ScriptedThread opener = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Long> opened;
            FutureTask<Boolean> closed;
            synchronized (lock) {
                opened = opener.begin(() -> heap.allocate(bytes));
                awaitIn(openerWaitsIn, opener, opened);
                closed = closer.beginBlocking(heap::close);
                awaitIn(closerWaitsIn, closer, closed);
            }
            assertThatThrownBy(opened::get).cause().hasMessage("the heap is closed");
            assertThat(ScriptedThread.get(closed)).isFalse();
        }
        assertThat(space.pages.takenBytes()).isZero();
        assertThat(space.regions.count()).isZero();
    }

    @Test
    void thread_insideAlready_opensThere() {
        long handle = heap.allocate(0);
        long inside = heap.read(handle, _ -> heap.allocate(MIB));
        assertThat(heap.size(inside)).isEqualTo(MIB);
    }
}
