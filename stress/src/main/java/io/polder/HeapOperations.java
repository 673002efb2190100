package io.polder;

import io.polder.PoolScenario.Operation;
import io.polder.background.QuietBackground;
import io.polder.background.Task;
import io.polder.heap.space.CycleScenario;
import io.polder.memory.MemoryExhaustedException;
import io.polder.stress.everywhere.ThrowEverywhere;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Consumer;

/** The operations of heaps. */
final class HeapOperations {
    private static final long COMMITTED_MAX = 128 * PoolUnderTest.MIB;
    private static final long HEAP_MAX = 24 * PoolUnderTest.MIB;

    private static final long SMALL = 200;
    private static final long QUARTER = 240_000;
    private static final long MEDIUM = 300_000;
    private static final long LARGE = 5 * PoolUnderTest.MIB;

    private final ThrowEverywhere everywhere;
    private final LeakDetection leaks;
    private final String prefix;

    /** An operation on a heap. */
    @FunctionalInterface
    private interface HeapOperation {
        Object run(HeldHeap heap) throws Throwable;
    }

    HeapOperations(ThrowEverywhere everywhere, LeakDetection leaks, String prefix) {
        this.everywhere = everywhere;
        this.leaks = leaks;
        this.prefix = prefix;
    }

    private void check(String name, Consumer<HeldHeap> setUp, HeapOperation operation) {
        everywhere.check(
                prefix + name,
                () ->
                        new PoolScenario(
                                new PoolUnderTest(COMMITTED_MAX, leaks),
                                held -> operation(held, setUp, operation)));
    }

    private static Operation operation(
            Holdings held, Consumer<HeldHeap> setUp, HeapOperation operation) {
        HeldHeap heap = held.openHeap(HEAP_MAX);
        heap.fill(4, SMALL);
        setUp.accept(heap);
        return () -> operation.run(heap);
    }

    void tryAll() {
        tryWatched();
        tryObjects();
        tryContents();
        tryNumbers();
        tryBatches();
        tryCompacting();
        tryInCycles();
        check("heap.stats", _ -> {}, heap -> heap.heap().stats());
    }

    /** Tries those that a leak detector hears of. */
    void tryWatched() {
        everywhere.check(
                prefix + "heap.open",
                () ->
                        new PoolScenario(
                                new PoolUnderTest(COMMITTED_MAX, leaks),
                                held -> () -> held.openHeap(HEAP_MAX)));
        check("heap.close", heap -> heap.fill(100, SMALL), HeapOperations::close);
    }

    private static Object close(HeldHeap heap) {
        heap.close();
        return heap;
    }

    private void tryObjects() {
        allocating("heap.allocate-small", SMALL);
        allocating("heap.allocate-medium", MEDIUM);
        allocating("heap.allocate-large", LARGE);
        check(
                "heap.allocate-many",
                _ -> {},
                heap -> {
                    for (int i = 0; i < 70; i++) {
                        heap.allocate(SMALL + 8L * i);
                    }
                    return heap;
                });
        check(
                "heap.allocate-content",
                _ -> {},
                heap -> heap.heap().allocate(MemorySegment.ofArray(new long[20])));
        resizing("heap.resize-in-place", SMALL - 1);
        resizing("heap.resize-same-region", SMALL + 1);
        resizing("heap.resize-smaller", SMALL / 2);
        resizing("heap.resize-medium", MEDIUM);
        resizing("heap.resize-large", LARGE);
        freeing("heap.free-small", SMALL);
        freeing("heap.free-large", LARGE);
    }

    private void allocating(String name, long bytes) {
        check(
                name,
                _ -> {},
                heap -> {
                    heap.allocate(bytes);
                    return heap;
                });
    }

    private void resizing(String name, long bytes) {
        check(name, _ -> {}, heap -> resize(heap, bytes));
    }

    private static Object resize(HeldHeap heap, long bytes) {
        heap.resize(1, bytes);
        return heap;
    }

    private void freeing(String name, long bytes) {
        check(
                name,
                heap -> heap.allocate(bytes),
                heap -> {
                    heap.free(heap.count() - 1);
                    return heap;
                });
    }

    private void tryContents() {
        check(
                "heap.read",
                _ -> {},
                heap -> {
                    heap.read(0);
                    return heap;
                });
        check(
                "heap.read-nested",
                _ -> {},
                heap ->
                        heap.heap()
                                .read(
                                        heap.handle(0),
                                        _ -> {
                                            heap.read(1);
                                            return heap;
                                        }));
        check(
                "heap.update",
                _ -> {},
                heap -> {
                    heap.update(1);
                    return heap;
                });
        check(
                "heap.put",
                _ -> {},
                heap -> {
                    heap.put(2);
                    return heap;
                });
        check(
                "heap.get",
                _ -> {},
                heap -> {
                    heap.heap().get(heap.handle(0), MemorySegment.ofArray(new long[50]));
                    return heap;
                });
        check("heap.to-array", _ -> {}, heap -> heap.heap().toArray(heap.handle(1)));
        check("heap.size", _ -> {}, heap -> heap.heap().size(heap.handle(1)));
        check("heap.is-live", _ -> {}, heap -> heap.heap().isLive(heap.handle(1)));
        check(
                "heap.for-each",
                heap -> heap.fill(20, SMALL),
                heap -> {
                    heap.heap().forEach(_ -> {});
                    return heap;
                });
        check(
                "heap.next-oldest",
                heap -> {
                    heap.fill(150, 30_000);
                    tick(heap);
                },
                heap -> heap.heap().nextOldest(0, new long[20]));
        number("heap.copy-out", heap -> copyOut(heap, 1000));
        number("heap.copy-out-small", heap -> copyOut(heap, 48));
    }

    private void tryNumbers() {
        number("heap.get-long", heap -> heap.heap().getLong(heap.handle(0), 8));
        number("heap.get-add", heap -> heap.heap().getAndAddLong(heap.handle(0), 8, 0));
        number("heap.set-same", HeapOperations::setSame);
        number("heap.exchange", heap -> heap.heap().compareAndSetInt(heap.handle(0), 8, 0, 0));
        number("heap.hash", heap -> heap.heap().contentHash(heap.handle(1)));
        number("heap.mismatch", heap -> heap.heap().mismatch(heap.handle(1), MemorySegment.NULL));
        number(
                "heap.get-part",
                heap -> {
                    byte[] part = new byte[10];
                    heap.heap().get(heap.handle(1), 20, part, 2, 8);
                    heap.heap().put(heap.handle(1), 20, part, 2, 8);
                    return part;
                });
        number("heap.compute", HeapOperations::computeSize);
        number("heap.session", HeapOperations::useInSession);
    }

    private static Object copyOut(HeldHeap heap, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(bytes);
            heap.heap().get(heap.handle(3), 0, room.asSlice(0, Math.min(bytes, SMALL)));
        }
        return heap;
    }

    private static Object setSame(HeldHeap heap) {
        byte same = heap.heap().getByte(heap.handle(0), 9);
        heap.heap().setByte(heap.handle(0), 9, same);
        return same;
    }

    private static Object computeSize(HeldHeap heap) {
        return heap.heap().compute(heap.handle(1), MemorySegment::byteSize);
    }

    private static Object useInSession(HeldHeap heap) {
        long handle = heap.handle(2);
        return heap.heap()
                .session(
                        session -> {
                            session.setLong(handle, 8, session.getLong(handle, 8));
                            byte[] part = new byte[20];
                            session.get(handle, 16, MemorySegment.ofArray(part));
                            session.put(handle, 16, MemorySegment.ofArray(part));
                            return part;
                        });
    }

    private static Object getAll(HeldHeap heap) {
        long[] handles = {heap.handle(0), heap.handle(2), heap.handle(3)};
        byte[] found = new byte[3 * 8];
        heap.heap().getAll(handles, 16, 8, MemorySegment.ofArray(found));
        return found;
    }

    /** Tries what leaves objects as they are. */
    private void number(String name, HeapOperation operation) {
        check(name, _ -> {}, operation);
    }

    private void tryBatches() {
        check(
                "heap.batch",
                _ -> {},
                heap -> {
                    long[] handles = new long[70];
                    heap.heap().allocateAll(SMALL, handles);
                    heap.heap().getAll(handles, 8, 1, MemorySegment.ofArray(new byte[70]));
                    heap.heap().freeAll(handles);
                    return handles;
                });
        number("heap.get-all", HeapOperations::getAll);
        check(
                "heap.batch-refused",
                _ -> {},
                heap -> {
                    long[] handles = new long[100];
                    try {
                        heap.heap().allocateAll(MEDIUM, handles);
                        throw new AssertionError("they are more than the heap has room for");
                    } catch (OutOfMemoryError refused) {
                        if (!(refused.getCause() instanceof MemoryExhaustedException)) {
                            throw refused;
                        }
                    }
                    return handles;
                });
    }

    private void tryCompacting() {
        check("heap.compact-nothing", _ -> {}, heap -> heap.heap().compact());
        check("heap.compact", HeapOperations::sparse, heap -> heap.heap().compact());
        check("heap.tick", HeapOperations::sparse, HeapOperations::tick);
        check(
                "heap.full",
                heap -> {
                    heap.fill(70, QUARTER);
                    heap.thin(3);
                },
                heap -> {
                    for (int i = 0; i < 20; i++) {
                        heap.allocate(QUARTER);
                    }
                    return heap;
                });
    }

    /** Tries what a cycle that is under way makes different, in each of its phases. */
    private void tryInCycles() {
        for (CycleScenario.Phase phase : CycleScenario.Phase.values()) {
            String when = "-" + phase.name().toLowerCase(Locale.ROOT);
            check(
                    "heap.update" + when,
                    heap -> begin(heap, phase),
                    heap -> {
                        heap.update(1);
                        return heap;
                    });
            check(
                    "heap.put" + when,
                    heap -> begin(heap, phase),
                    heap -> {
                        heap.put(2);
                        return heap;
                    });
            check(
                    "heap.free" + when,
                    heap -> begin(heap, phase),
                    heap -> {
                        heap.free(3);
                        return heap;
                    });
            check(
                    "heap.resize" + when,
                    heap -> begin(heap, phase),
                    heap -> resize(heap, SMALL + 1));
            check("heap.set-same" + when, heap -> begin(heap, phase), HeapOperations::setSame);
            check("heap.compute" + when, heap -> begin(heap, phase), HeapOperations::computeSize);
            check("heap.session" + when, heap -> begin(heap, phase), HeapOperations::useInSession);
            check("heap.get-all" + when, heap -> begin(heap, phase), HeapOperations::getAll);
            check("heap.compact" + when, heap -> begin(heap, phase), heap -> heap.heap().compact());
        }
        check(
                "heap.close-evacuating",
                heap -> begin(heap, CycleScenario.Phase.EVACUATING),
                HeapOperations::close);
    }

    private static void begin(HeldHeap heap, CycleScenario.Phase phase) {
        Object space = heap.heap();
        CycleScenario.begin(
                Inside.field(space, "evacuation"), Inside.field(space, "regions"), phase);
    }

    /** Several pages, of whose objects few are left. */
    private static void sparse(HeldHeap heap) {
        heap.fill(150, 30_000);
        heap.thin(10);
    }

    private static Object tick(HeldHeap heap) {
        Object compactor = Inside.field(heap.heap(), "compactor");
        return QuietBackground.step((Task) Inside.field(compactor, "task"));
    }
}
