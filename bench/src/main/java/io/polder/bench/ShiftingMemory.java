package io.polder.bench;

import io.polder.background.Background;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What does it cost when a pool at its limit turns from chunks to pages, or back: with root chunks
 * in reservations of their own, or with root chunks that are pages?
 *
 * <p>Each call takes memory of the one kind and writes to every OS page of it, after all of the
 * limit was used by the other kind and given back, warm. {@code apart} is how it is: what is free
 * of the one is uncommitted to make room for the other. {@code together} takes pages of the size of
 * a root chunk in place of root chunks, which is all that matters here: splitting them costs
 * nothing beside it. {@code moved} stands for two kinds of reservations between which free memory
 * is remapped instead of uncommitted; it shows the calls, no space does so. {@code kept} is one
 * part in so many that stays in use, so that what is free is scattered; 0 is none.
 *
 * <p>Page faults are counted beside. The cost of zeroing when chunks are given is the same in both
 * and is not in the figures; pages are given dirty, and the thread that needs zeros cleans them.
 *
 * <p>Run: {@code bench/run ShiftingMemory}
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 7)
@Fork(
        value = 2,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS})
@State(Scope.Thread)
public class ShiftingMemory {
    private static final long OS_PAGE_BYTES = 4096;
    private static final long PAGE_BYTES = 32 << 20;

    /** Counted from the field after the name of the program. */
    private static final int MINOR_FAULTS = 7;

    /** All memory there is, in MiB. */
    @Param({"1024"})
    public int mib;

    /** Whether root chunks are pages. */
    @Param({"apart", "together", "moved"})
    public String way = "apart";

    /** What the pool turns to. */
    @Param({"pages", "chunks"})
    public String to = "pages";

    /** One in so many root chunks, or pages, stays in use; 0 is none. */
    @Param({"0", "8"})
    public int kept;

    private final MemoryProvider provider = Providers.choose().provider();
    private final Background background = new Background("bench-pages");
    private ChunkSpace chunks = chunks(new MemoryBudget(MemoryLimits.NONE, ""));
    private PageSpace pages = pages(new MemoryBudget(MemoryLimits.NONE, ""));
    private final List<Long> roots = new ArrayList<>();
    private final List<Extent> rootPages = new ArrayList<>();
    private final List<Extent> large = new ArrayList<>();

    /** Free pages whose memory is to be moved, and where to. */
    private final List<Extent> sources = new ArrayList<>();

    private long target;

    /** Creates the state of one benchmark thread. */
    public ShiftingMemory() {}

    /** Page faults of a call, beside its time. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Faults {
        /** Faults that the kernel served without reading from a disk. */
        public long faults;

        /** Creates the counters of one benchmark thread. */
        public Faults() {}
    }

    private ChunkSpace chunks(MemoryBudget budget) {
        return new ChunkSpace(provider, budget);
    }

    private PageSpace pages(MemoryBudget budget) {
        long never = Duration.ofDays(1).toNanos();
        return new PageSpace(
                provider,
                budget,
                background,
                new PageSettings(never, false, false),
                Exhaustion.IGNORED,
                null);
    }

    /** A new pool of either kind, of which all was used by the other kind of memory. */
    @Setup(Level.Invocation)
    public void open() {
        MemoryBudget budget =
                new MemoryBudget(
                        new MemoryLimits((long) mib << 20, MemoryLimits.ADDRESS_SPACE_BYTES), "");
        chunks = chunks(budget);
        pages = pages(budget);
        if (way.equals("moved")) {
            target = provider.reserve((long) mib << 20, PageSpace.GRANULE_BYTES);
            provider.commit(target, (long) mib << 20);
        }
        if (to.equals("pages")) {
            takeRoots();
            giveRoots();
        } else {
            takeLarge();
            giveLarge();
        }
    }

    /** Releases all. */
    @TearDown(Level.Invocation)
    public void close() {
        roots.forEach(root -> chunks.give(root, 0));
        rootPages.forEach(page -> pages.give(page, page.bytes()));
        large.forEach(page -> pages.give(page, page.bytes()));
        sources.forEach(page -> pages.give(page, page.bytes()));
        roots.clear();
        rootPages.clear();
        large.clear();
        sources.clear();
        if (target != 0) {
            provider.release(target, (long) mib << 20);
            target = 0;
        }
        chunks.close();
        pages.close();
    }

    /** All that is to be had of the kind that the pool turns to. */
    @Benchmark
    public int shift(Faults faults) {
        long before = minorFaults();
        int taken = way.equals("moved") ? move() : to.equals("pages") ? takeLarge() : takeRoots();
        faults.faults += minorFaults() - before;
        return taken;
    }

    /** How much may be taken now: all, less what is kept. */
    private long freeBytes() {
        long held = roots.size() * ChunkLevel.ROOT_BYTES;
        held += rootPages.stream().mapToLong(Extent::bytes).sum();
        held += large.stream().mapToLong(Extent::bytes).sum();
        return ((long) mib << 20) - held;
    }

    private int takeRoots() {
        boolean together = !way.equals("apart");
        long count = freeBytes() / ChunkLevel.ROOT_BYTES;
        for (long i = 0; i < count; i++) {
            if (together) {
                Extent page = pages.take(ChunkLevel.ROOT_BYTES, true);
                rootPages.add(page);
                write(page.address(), page.bytes());
            } else {
                long root = chunks.take(ChunkLevel.ROOT, ChunkLevel.ROOT);
                roots.add(root);
                chunks.commit(root, 0, ChunkLevel.ROOT_BYTES);
                write(Chunk.address(root), ChunkLevel.ROOT_BYTES);
            }
        }
        return (int) count;
    }

    private void giveRoots() {
        List<Long> keptRoots = keptOf(roots);
        roots.removeAll(keptRoots);
        roots.forEach(root -> chunks.give(root, ChunkLevel.ROOT_BYTES));
        roots.clear();
        roots.addAll(keptRoots);
        List<Extent> keptPages = keptOf(rootPages);
        for (Extent page : rootPages) {
            if (!keptPages.contains(page)) {
                Zeroing.zero(page.address(), page.bytes());
                give(page, 0);
            }
        }
        rootPages.clear();
        rootPages.addAll(keptPages);
    }

    private int takeLarge() {
        long count = freeBytes() / PAGE_BYTES;
        for (long i = 0; i < count; i++) {
            Extent page = pages.take(PAGE_BYTES, true);
            large.add(page);
            write(page.address(), page.bytes());
        }
        return (int) count;
    }

    private void giveLarge() {
        List<Extent> keptPages = keptOf(large);
        for (Extent page : large) {
            if (!keptPages.contains(page)) {
                give(page, page.bytes());
            }
        }
        large.clear();
        large.addAll(keptPages);
    }

    private void give(Extent page, long dirtyBytes) {
        if (way.equals("moved")) {
            sources.add(page);
        } else {
            pages.give(page, dirtyBytes);
        }
    }

    /** Moves what is free, a root chunk at a time; chunks need zeros. */
    private int move() {
        long at = target;
        for (Extent page : sources) {
            if (to.equals("chunks")) {
                Zeroing.zero(page.address(), page.bytes());
            }
            for (long from = 0; from < page.bytes(); from += ChunkLevel.ROOT_BYTES) {
                provider.remap(page.address() + from, at, ChunkLevel.ROOT_BYTES);
                write(at, ChunkLevel.ROOT_BYTES);
                at += ChunkLevel.ROOT_BYTES;
            }
        }
        return sources.size();
    }

    private <T> List<T> keptOf(List<T> all) {
        List<T> some = new ArrayList<>();
        for (int i = 0; kept > 0 && i < all.size(); i += kept) {
            some.add(all.get(i));
        }
        return some;
    }

    private void write(long address, long bytes) {
        MemorySegment memory = Zeroing.ADDRESS_SPACE.asSlice(address, bytes);
        for (long at = 0; at < bytes; at += OS_PAGE_BYTES) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
        }
    }

    private static long minorFaults() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Long.parseLong(fields[MINOR_FAULTS]);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
