package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/** Which uses are found in a class, and where. */
class ClassScanTest {
    private static final String SOURCE =
            """
            class All {
                MemorySegment segment = MemorySegment.NULL;
                void arenas() {
                    use(Arena.ofConfined());
                    use(Arena.ofShared());
                    use(Arena.ofAuto());
                    use(Arena.global());
                }
                void allocators(Arena arena) {
                    SegmentAllocator.slicingAllocator(segment).allocate(1);
                    SegmentAllocator.prefixAllocator(segment).allocateFrom(ValueLayout.JAVA_INT, 1);
                    arena.allocate(1, 8);
                }
                void segments(Arena arena) {
                    segment.reinterpret(1);
                    segment.reinterpret(arena, null);
                    segment.reinterpret(1, arena, null);
                    segment.asSlice(1);
                }
                void unsafe(Unsafe unsafe) {
                    long p = unsafe.allocateMemory(8);
                    unsafe.setMemory(p, 8, (byte) 0);
                    unsafe.putLong(p, unsafe.getLong(p));
                    unsafe.putInt(null, p, 1);
                    unsafe.copyMemory(p, p, 8);
                    unsafe.freeMemory(unsafe.reallocateMemory(p, 8));
                    unsafe.invokeCleaner(java.nio.ByteBuffer.allocateDirect(1));
                    unsafe.pageSize();
                }
                void references(Arena arena) {
                    use((Supplier<Arena>) Arena::ofShared);
                    use((Supplier<Arena>) Arena::global);
                    use((LongFunction<MemorySegment>) arena::allocate);
                    use((LongFunction<MemorySegment>) segment::reinterpret);
                }
                void use(Object any) {}
                static class Inner { Arena arena() { return Arena.ofAuto(); } }
            }
            """;

    @TempDir private Path folder;

    @Test
    void uses_areAllFound() {
        List<Use> uses = Compiled.uses(folder, "All", SOURCE);

        assertThat(uses)
                .extracting(use -> use.place().method() + " " + use.call())
                .containsExactly(
                        "arena Arena.ofAuto()",
                        "arenas Arena.ofConfined()",
                        "arenas Arena.ofShared()",
                        "arenas Arena.ofAuto()",
                        "arenas Arena.global()",
                        "allocators SegmentAllocator.slicingAllocator(MemorySegment)",
                        "allocators SegmentAllocator.allocate(long)",
                        "allocators SegmentAllocator.prefixAllocator(MemorySegment)",
                        "allocators SegmentAllocator.allocateFrom(ValueLayout.OfInt, int)",
                        "allocators Arena.allocate(long, long)",
                        "segments MemorySegment.reinterpret(long)",
                        "segments MemorySegment.reinterpret(Arena, Consumer)",
                        "segments MemorySegment.reinterpret(long, Arena, Consumer)",
                        "unsafe Unsafe.allocateMemory(long)",
                        "unsafe Unsafe.setMemory(long, long, byte)",
                        "unsafe Unsafe.getLong(long)",
                        "unsafe Unsafe.putLong(long, long)",
                        "unsafe Unsafe.putInt(Object, long, int)",
                        "unsafe Unsafe.copyMemory(long, long, long)",
                        "unsafe Unsafe.reallocateMemory(long, long)",
                        "unsafe Unsafe.freeMemory(long)",
                        "unsafe Unsafe.invokeCleaner(ByteBuffer)",
                        "references Arena::ofShared",
                        "references Arena::global",
                        "references SegmentAllocator::allocate",
                        "references MemorySegment::reinterpret");
        assertThat(EnumSet.copyOf(uses.stream().map(Use::kind).toList()))
                .isEqualTo(EnumSet.complementOf(EnumSet.of(UseKind.POOLED)));
        assertThat(uses)
                .allSatisfy(
                        use ->
                                assertThat(use.verdict() != null)
                                        .isEqualTo(UseKind.CLOSEABLE.contains(use.kind())));
    }

    @Test
    void usesOfPolder_areFound() {
        String source =
                """
                class Pooled {
                    void arenas(io.polder.MemoryPool pool) {
                        try (Arena arena = io.polder.MemoryPool.ofConfined()) { arena.allocate(1); }
                        io.polder.MemoryPool.ofShared().close();
                        io.polder.MemoryPool.ofSharedDeferred().close();
                        pool.openConfined().close();
                        pool.openShared().close();
                        pool.openSharedDeferred().close();
                        try (io.polder.FreeingArena arena = pool.openFreeing()) {
                            arena.free(arena.allocate(1, 1));
                        }
                        pool.openHeap().allocate(1);
                        use((Supplier<Arena>) pool::openShared);
                    }
                    void allocations(
                            io.polder.BlockAllocator blocks,
                            io.polder.page.PageCache pages,
                            io.polder.heap.RelocatingHeap objects,
                            io.polder.FreeingArena arena) {
                        blocks.free(blocks.allocateZeroed(1, 1));
                        blocks.freeAddress(blocks.allocateAddress(1));
                        blocks.freeAddress(blocks.allocateZeroedAddress(1, 1));
                        blocks.allocateFrom("a");
                        pages.allocate(1);
                        objects.allocateAll(1, new long[1]);
                        objects.tryAllocate(1);
                        arena.allocatedBytes();
                    }
                    void use(Object any) {}
                }
                """;

        List<Use> uses = Compiled.uses(folder, "Pooled", source);

        assertThat(uses)
                .filteredOn(use -> use.kind() == UseKind.POOLED)
                .extracting(Use::call, use -> Objects.requireNonNull(use.verdict()).label())
                .containsExactly(
                        tuple("MemoryPool.ofConfined()", "closed"),
                        tuple("MemoryPool.ofShared()", "closed"),
                        tuple("MemoryPool.ofSharedDeferred()", "closed"),
                        tuple("MemoryPool.openConfined()", "closed"),
                        tuple("MemoryPool.openShared()", "closed"),
                        tuple("MemoryPool.openSharedDeferred()", "closed"),
                        tuple("MemoryPool.openFreeing()", "closed"),
                        tuple("MemoryPool.openHeap()", "unclosed"),
                        tuple("MemoryPool::openShared", "escapes (reference)"));
        assertThat(uses)
                .filteredOn(use -> use.kind() == UseKind.ALLOCATE)
                .extracting(Use::call, Use::allocator)
                .containsExactly(
                        tuple("Arena.allocate(long)", UseKind.POOLED),
                        tuple("FreeingArena.allocate(long, long)", UseKind.POOLED),
                        tuple("RelocatingHeap.allocate(long)", UseKind.POOLED),
                        tuple("BlockAllocator.allocateZeroed(long, long)", null),
                        tuple("BlockAllocator.allocateAddress(long)", null),
                        tuple("BlockAllocator.allocateZeroedAddress(long, long)", null),
                        tuple("BlockAllocator.allocateFrom(String)", null),
                        tuple("PageCache.allocate(long)", null),
                        tuple("RelocatingHeap.allocateAll(long, long[])", null),
                        tuple("RelocatingHeap.tryAllocate(long)", null));
        assertThat(uses).hasSize(19).noneMatch(Use::poolingWouldServe);
    }

    @Test
    void place_isAFrameOfAStackTrace() {
        List<Use> uses = Compiled.uses(folder, "All", SOURCE);

        // One line of imports comes first.
        assertThat(uses.getFirst().place().frame()).isEqualTo("All$Inner.arena(All.java:38)");
        assertThat(uses.get(1).place().frame()).isEqualTo("All.arenas(All.java:5)");
        assertThat(uses.get(1).place().descriptor()).isEqualTo("()V");
        assertThat(new Place("A", "b", "()V", "", 0).frame()).isEqualTo("A.b(Unknown Source)");
    }

    @Test
    void kinds_areTheOnlyOnesLookedFor() {
        byte[] file = Compiled.bytes(Compiled.into(folder, "All", SOURCE));

        assertThat(ClassScan.of(file, Set.of(UseKind.SHARED, UseKind.REINTERPRET)))
                .extracting(Use::call)
                .containsExactly(
                        "Arena.ofShared()",
                        "MemorySegment.reinterpret(long)",
                        "MemorySegment.reinterpret(Arena, Consumer)",
                        "MemorySegment.reinterpret(long, Arena, Consumer)",
                        "Arena::ofShared",
                        "MemorySegment::reinterpret");
    }

    @Test
    void useInFinally_isOneWhateverTheWaysOut() {
        String source =
                """
                abstract class Last {
                    abstract int work();
                    int closed(Unsafe unsafe, long p) {
                        try {
                            if (work() == 1) { return 1; }
                            if (work() == 2) { return 2; }
                            work();
                        } finally {
                            unsafe.freeMemory(p);
                            unsafe.putLong(p, 1); unsafe.putLong(p, 2);
                            try { work(); } finally { unsafe.putInt(p, 1); }
                            try (Arena arena = Arena.ofConfined()) { arena.allocate(8); }
                        }
                        return 3;
                    }
                    void twice(Unsafe unsafe, long p) {
                        unsafe.freeMemory(p); unsafe.freeMemory(p);
                        try { work(); } catch (Throwable t) { unsafe.putInt(p, 1); throw t; }
                        unsafe.putInt(p, 1);
                    }
                    void synchronizedTwice(Unsafe unsafe, long p) {
                        synchronized (this) { unsafe.freeMemory(p); unsafe.freeMemory(p); }
                    }
                }
                """;

        assertThat(Compiled.uses(folder, "Last", source))
                .extracting(use -> use.place().method() + " " + use.call())
                .containsExactly(
                        "closed Unsafe.freeMemory(long)",
                        "closed Unsafe.putLong(long, long)",
                        "closed Unsafe.putLong(long, long)",
                        "closed Unsafe.putInt(long, int)",
                        "closed Arena.ofConfined()",
                        "closed Arena.allocate(long)",
                        "twice Unsafe.freeMemory(long)",
                        "twice Unsafe.freeMemory(long)",
                        "twice Unsafe.putInt(long, int)",
                        "twice Unsafe.putInt(long, int)",
                        "synchronizedTwice Unsafe.freeMemory(long)",
                        "synchronizedTwice Unsafe.freeMemory(long)");
    }

    @Test
    void version_isThatOfTheCompiler() {
        byte[] file = Compiled.bytes(Compiled.into(folder, "All", SOURCE));

        assertThat(ClassHeader.majorVersion(file)).isEqualTo(44 + Runtime.version().feature());
        assertThatThrownBy(() -> ClassHeader.majorVersion(new byte[8]))
                .hasMessage("a class file begins with CAFEBABE");
        for (int bytes = 4; bytes < 8; bytes++) {
            byte[] cutOff = Arrays.copyOf(file, bytes);
            assertThatThrownBy(() -> ClassHeader.majorVersion(cutOff))
                    .hasMessage(
                            "a class file has its version behind CAFEBABE: bytes=" + cutOff.length);
        }
    }

    @Test
    void brokenConstantPools_areRefused() {
        byte[] file = Compiled.bytes(Compiled.into(folder, "All", SOURCE));
        byte[] badTag = file.clone();
        badTag[10] = 99;

        assertThatThrownBy(() -> ClassScan.of(new byte[0], Compiled.all()))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> ClassScan.of(badTag, Compiled.all()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClassScan.of(Arrays.copyOf(file, 40), Compiled.all()))
                .isInstanceOf(RuntimeException.class);
    }

    /** The scanner takes any runtime exception for damage; errors would end it. */
    @Tag("full")
    @Test
    void damage_isARuntimeExceptionAtWorst() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] file = Compiled.bytes(Compiled.into(folder, Patterns.NAME, Patterns.SOURCE));
        int whole = ClassScan.of(file, Compiled.all()).size();
        int refused = 0;
        int different = 0;
        int same = 0;
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = damaged(file, random);
            try {
                if (ClassScan.of(damaged, Compiled.all()).size() == whole) {
                    same++;
                } else {
                    different++;
                }
            } catch (RuntimeException e) {
                refused++;
            } catch (Error e) {
                throw new AssertionError("again with -Dpolder.test.seed=" + seed, e);
            }
        }
        assertThat(List.of(refused, different, same))
                .as("refused, different, same; seed %d", seed)
                .allSatisfy(count -> assertThat(count).isGreaterThan(5));
    }

    private static byte[] damaged(byte[] file, Random random) {
        byte[] damaged =
                random.nextInt(10) == 0
                        ? Arrays.copyOf(file, random.nextInt(file.length))
                        : file.clone();
        for (int i = 1 + random.nextInt(3); i > 0 && damaged.length > 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        return damaged;
    }
}
