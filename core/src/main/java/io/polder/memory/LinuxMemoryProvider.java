package io.polder.memory;

import static io.polder.memory.LinuxConstants.MADV_DONTNEED;
import static io.polder.memory.LinuxConstants.MADV_HUGEPAGE;
import static io.polder.memory.LinuxConstants.MADV_NOHUGEPAGE;
import static io.polder.memory.LinuxConstants.MADV_POPULATE_WRITE;
import static io.polder.memory.LinuxConstants.MAP_ANONYMOUS;
import static io.polder.memory.LinuxConstants.MAP_FIXED;
import static io.polder.memory.LinuxConstants.MAP_FIXED_NOREPLACE;
import static io.polder.memory.LinuxConstants.MAP_NORESERVE;
import static io.polder.memory.LinuxConstants.MAP_PRIVATE;
import static io.polder.memory.LinuxConstants.MREMAP_DONTUNMAP;
import static io.polder.memory.LinuxConstants.MREMAP_FIXED;
import static io.polder.memory.LinuxConstants.MREMAP_MAYMOVE;
import static io.polder.memory.LinuxConstants.PROT_NONE;
import static io.polder.memory.LinuxConstants.PROT_READ;
import static io.polder.memory.LinuxConstants.PROT_WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * Anonymous private memory of Linux, in as few mappings as possible.
 *
 * <pre>{@code
 * mmap, PROT_NONE:    |......head....|o|............reservation............|...tail...|
 *                     ^ any OS page    ^ aligned                                     |
 * munmap both ends:                  |o|............reservation............|
 * one mprotect:                      |rw                                   |   one mapping
 *
 * uncommit (MADV_DONTNEED):          |rw    #### rw #### rw #### rw        |   still one mapping
 * }</pre>
 *
 * <p><b>Mappings.</b> A process may have {@link KernelLimits#maxMapCount} mappings and the JVM
 * needs most of them. The one {@code mprotect} is for the whole reservation, and memory is given
 * back with advice, which never splits a mapping. Only {@link #remap} costs mappings, up to two per
 * granule, and {@link #renew} wins them back. The kernel joins neighbours only if they were one
 * mapping when the first memory came to it, or if one of them never had any; and it prefers the
 * left one. So there is an OS page in front of each reservation, the <em>origin</em>, that gets
 * memory at once and is never moved.
 *
 * <p><b>Remap</b> moves granule by granule. One call for the whole range would take about half the
 * time, but kernels before 6.17 refuse a source of several mappings, and later ones may stop in the
 * middle without saying where. So {@link OsCallException#done} is exact.
 *
 * <p><b>Holes.</b> The kernel unmaps the target of a move before it can fail. Left alone, the hole
 * could be given to anybody, and a later call on our range would hit a stranger's memory; so the
 * hole is filled at once, in a way that never replaces a mapping.
 *
 * <p><b>Failure.</b> As the interface says. Memory that was locked ({@code mlockall}) is refused by
 * uncommit with {@link Errno#EINVAL}: it stays committed, as its owner asked.
 */
final class LinuxMemoryProvider implements MemoryProvider {

    private static final int ACCESSIBLE = PROT_READ | PROT_WRITE;
    private static final int MEMORY = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    private static final int MOVE = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

    private final LinuxCalls calls;
    private final LinuxFeatures features;
    private final LazyLimits limits;
    private final long osPageSize;
    private final Reservations reservations = new Reservations();

    LinuxMemoryProvider(LinuxCalls calls, LinuxFeatures features, long osPageSize) {
        this.calls = calls;
        this.features = features;
        this.limits = new LazyLimits(osPageSize);
        this.osPageSize = osPageSize;
    }

    /** A provider for this kernel. Makes no system call yet. */
    static LinuxMemoryProvider create(LinuxCalls calls) {
        long osPageSize = AuxiliaryVector.osPageSize();
        return new LinuxMemoryProvider(calls, new LinuxFeatures(calls, osPageSize), osPageSize);
    }

    @Override
    public String name() {
        return "linux";
    }

    @Override
    public KernelLimits limits() {
        return limits.get();
    }

    @Override
    public boolean canUncommit() {
        return true;
    }

    @Override
    public boolean canRemap() {
        return features.dontUnmap();
    }

    LinuxFeatures features() {
        return features;
    }

    @Override
    public long reserve(long bytes, long alignment) {
        Ranges.checkReserve(bytes, alignment, osPageSize);
        // May exceed a signed long; the kernel takes it as unsigned and has no such space.
        long mappedBytes = bytes + Math.max(alignment, osPageSize);
        long mapped = calls.mmap(0, mappedBytes, PROT_NONE, MEMORY);
        if (mapped < 0) {
            throw new OsCallException("mmap", errno(mapped), 0, bytes);
        }
        long address = (mapped + osPageSize + alignment - 1) & -alignment;
        long origin = address - osPageSize;
        makeOneMapping(mapped, mapped + mappedBytes, origin, osPageSize + bytes);
        touch(NativeAccess.view(origin, osPageSize));
        reservations.add(NativeAccess.view(address, bytes));
        return address;
    }

    /** Cuts off both ends and makes the rest accessible, or unmaps everything. */
    private void makeOneMapping(long start, long end, long address, long bytes) {
        long left = start;
        long right = end;
        String call = "munmap";
        long result = unmap(left, address);
        if (result >= 0) {
            left = address;
            result = unmap(address + bytes, right);
        }
        if (result >= 0) {
            right = address + bytes;
            call = "mprotect";
            result = calls.mprotect(address, bytes, ACCESSIBLE);
        }
        if (result < 0) {
            OsCallException failure = new OsCallException(call, errno(result), address, bytes);
            // Only what is still ours: others may be mapped where an end was cut off.
            long undone = unmap(left, right);
            if (undone < 0) {
                failure.addSuppressed(
                        new OsCallException("munmap", errno(undone), left, right - left));
            }
            throw failure;
        }
    }

    private long unmap(long start, long end) {
        return start == end ? 0 : calls.munmap(start, end - start);
    }

    @Override
    public void release(long address, long bytes) {
        MemorySegment reservation = reservations.remove(address, bytes);
        long result = calls.munmap(address - osPageSize, osPageSize + bytes);
        if (result < 0) {
            reservations.add(reservation);
            throw new OsCallException("munmap", errno(result), address, bytes);
        }
    }

    @Override
    public void commit(long address, long bytes) {
        checkRange(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        checkRange(address, bytes);
        if (!features.populateWrite()) {
            touch(reservations.slice(address, bytes));
            return;
        }
        long result;
        do {
            result = calls.madvise(address, bytes, MADV_POPULATE_WRITE);
        } while (result == -Errno.EINTR);
        if (result < 0) {
            throw new OsCallException(
                    "madvise(MADV_POPULATE_WRITE)", errno(result), address, bytes);
        }
    }

    private void touch(MemorySegment memory) {
        for (long offset = 0; offset < memory.byteSize(); offset += osPageSize) {
            int _ = (int) Touch.WORD.getAndAdd(memory, offset, 0);
        }
    }

    @Override
    public void uncommit(long address, long bytes) {
        checkRange(address, bytes);
        uncommitChecked(address, bytes, 0);
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        Objects.checkFromIndexSize(0, count, addresses.length);
        Objects.checkFromIndexSize(0, count, sizes.length);
        for (int i = 0; i < count; i++) {
            checkRange(addresses[i], sizes[i]);
        }
        int done = 0;
        while (done < count) {
            done += uncommitBatch(addresses, sizes, done, count);
            if (done < count) {
                // Alone, so that a refusal has an errno that belongs to this range.
                uncommitChecked(addresses[done], sizes[done], done);
                done++;
            }
        }
    }

    /** Uncommits as many ranges as one call does, perhaps none; returns how many. */
    private int uncommitBatch(long[] addresses, long[] sizes, int first, int end) {
        int count = Math.min(end - first, IovecLayout.COUNT_MAX);
        if (count < 2) {
            return 0;
        }
        int pidfd = features.pidfd();
        if (pidfd == LinuxFeatures.NO_PIDFD) {
            return 0;
        }
        long advised = calls.processMadvise(pidfd, addresses, sizes, first, count, MADV_DONTNEED);
        int done = 0;
        while (done < count && advised >= sizes[first + done]) {
            advised -= sizes[first + done];
            done++;
        }
        return done;
    }

    private void uncommitChecked(long address, long bytes, int done) {
        long result = calls.madvise(address, bytes, MADV_DONTNEED);
        if (result < 0) {
            throw new OsCallException(
                    "madvise(MADV_DONTNEED)", errno(result), address, bytes, done);
        }
    }

    @Override
    public void remap(long from, long to, long bytes) {
        Ranges.checkRemap(from, to, bytes);
        reservations.checkInside(from, bytes);
        reservations.checkInside(to, bytes);
        boolean moves = canRemap();
        for (long offset = 0; offset < bytes; offset += REMAP_GRANULE_BYTES) {
            if (moves) {
                move(from + offset, to + offset, Math.toIntExact(offset / REMAP_GRANULE_BYTES));
            } else {
                copy(from + offset, to + offset);
            }
        }
    }

    private void move(long from, long to, int done) {
        long result = calls.mremap(from, to, REMAP_GRANULE_BYTES, MOVE);
        if (result < 0) {
            fillHole(to, REMAP_GRANULE_BYTES);
            throw new OsCallException("mremap", errno(result), from, REMAP_GRANULE_BYTES, done);
        }
    }

    private void copy(long from, long to) {
        MemorySegment source = reservations.slice(from, REMAP_GRANULE_BYTES);
        reservations.slice(to, REMAP_GRANULE_BYTES).copyFrom(source);
        if (calls.madvise(from, REMAP_GRANULE_BYTES, MADV_DONTNEED) < 0) {
            source.fill((byte) 0);
        }
    }

    @Override
    public void renew(long address, long bytes) {
        checkRange(address, bytes);
        long result = calls.mmap(address, bytes, ACCESSIBLE, MEMORY | MAP_FIXED);
        if (result < 0) {
            fillHole(address, bytes);
            throw new OsCallException("mmap(MAP_FIXED)", errno(result), address, bytes);
        }
    }

    /** Maps a range again if a failed call has left it unmapped, and never over a mapping. */
    private void fillHole(long address, long bytes) {
        long mapped = calls.mmap(address, bytes, ACCESSIBLE, MEMORY | MAP_FIXED_NOREPLACE);
        if (mapped >= 0 && mapped != address) {
            calls.munmap(mapped, bytes);
        }
    }

    @Override
    public long residentBytes(long address, long bytes) {
        checkRange(address, bytes);
        int osPages = Math.toIntExact(bytes / osPageSize);
        long resident = calls.mincore(address, bytes, osPages);
        return resident < 0 ? bytes : resident * osPageSize;
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        checkRange(address, bytes);
        // With its origin, if it is the beginning: they stay one mapping.
        long before = reservations.beginsAt(address) ? osPageSize : 0;
        int advice = wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
        return calls.madvise(address - before, before + bytes, advice) >= 0;
    }

    @Override
    public MemorySegment segment(long address, long bytes) {
        return reservations.slice(address, bytes);
    }

    private void checkRange(long address, long bytes) {
        Ranges.checkPages(address, bytes, osPageSize);
        reservations.checkInside(address, bytes);
    }

    private static int errno(long result) {
        return Math.toIntExact(-result);
    }

    /** Delays the look-up, because most kernels spare us the touching. */
    private static final class Touch {
        /** Atomic, so that touching a page cannot undo a write of another thread. */
        static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    }
}
