package io.polder.memory;

import static io.polder.memory.LinuxConstants.MADV_DONTNEED;
import static io.polder.memory.LinuxConstants.MADV_HUGEPAGE;
import static io.polder.memory.LinuxConstants.MADV_NOHUGEPAGE;
import static io.polder.memory.LinuxConstants.MADV_POPULATE_WRITE;
import static io.polder.memory.Mappings.errno;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

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
 * <p><b>Mappings.</b> A process may have {@link #maxMapCount} mappings and the JVM
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
 * <p><b>Address space that is limited.</b> {@link AddressSpace} keeps a share for the JVM. Before a
 * reservation is refused, by that or by the kernel, all pools that the provider serves release what
 * is free in theirs.
 *
 * <p><b>Strict overcommit</b> ({@code vm.overcommit_memory=2}). Without it, accessible memory that
 * nobody has touched costs nothing. With it the kernel ignores {@code MAP_NORESERVE}, and charges a
 * whole reservation when it becomes accessible. Making accessible only what is committed would cost
 * a mapping for each piece. So nothing is {@linkplain #reservableAheadBytes reserved ahead} there:
 * what is charged without use is a part of a root chunk, or of a page, at most.
 *
 * <p><b>Sizes beyond the machine.</b> Reservations are address space ({@code MAP_NORESERVE}), which
 * the kernel grants in any size. So who takes memory for one allocation asks {@link #exceededBy},
 * which follows the kernel's rule for {@code malloc}.
 *
 * <p><b>Failure.</b> As the interface says; {@link Mappings} tells what happens to a call in the
 * middle of which an error comes. Memory that was locked ({@code mlockall}) is refused by uncommit
 * with {@link Errno#EINVAL}: it stays committed, as its owner asked. What the kernel, or a sandbox,
 * refuses other than for want of something, for the origin of the reservation as well, is
 * remembered until an uncommit works, so that {@link #givesBack} tells the truth.
 */
final class LinuxMemoryProvider implements MemoryProvider {

    /** What a machine that runs a JVM has, so that nobody looks into files for less. Guessed. */
    static final long ALWAYS_FITS_BYTES = 64L << 20;

    private final LinuxCalls calls;
    final LinuxFeatures features;
    private final LazyLimits limits;
    private final long osPageSize;
    private final Mappings mappings;

    /** For tests. */
    final Reservations reservations;

    /** The pools that are served: reachable ones, and some that are no longer. */
    private final List<WeakReference<MemoryBudget>> served = new CopyOnWriteArrayList<>();

    // Benign races: written by the thread that uncommits, and each says what was true then.
    private volatile int uncommitErrno;

    /** Whether the kernel takes advice on many ranges at once, as far as is known. */
    volatile boolean batches = true;

    private volatile @Nullable Consumer<OsCallException> refusalListener;

    LinuxMemoryProvider(LinuxCalls calls, LinuxFeatures features, long osPageSize) {
        this(calls, features, osPageSize, new LazyLimits(ProcFile.root()), new AddressSpace(calls));
    }

    LinuxMemoryProvider(
            LinuxCalls calls,
            LinuxFeatures features,
            long osPageSize,
            LazyLimits limits,
            AddressSpace addressSpace) {
        this.calls = calls;
        this.features = features;
        this.limits = limits;
        this.osPageSize = osPageSize;
        this.mappings = new Mappings(calls, osPageSize, addressSpace);
        this.reservations = mappings.reservations;
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
    public long osPageSize() {
        return osPageSize;
    }

    @Override
    public long maxMapCount() {
        return limits.maxMapCount();
    }

    @Override
    public boolean canUncommit() {
        return true;
    }

    @Override
    public boolean givesBack() {
        return uncommitErrno == 0;
    }

    @Override
    public void onRefusedUncommit(Consumer<OsCallException> listener) {
        refusalListener = listener;
    }

    @Override
    public boolean canRemap() {
        return features.dontUnmap();
    }

    @Override
    public void serves(MemoryBudget budget) {
        served.removeIf(each -> each.refersTo(null));
        served.add(new WeakReference<>(budget));
    }

    @Override
    public long reservableAheadBytes() {
        return limits.strictOvercommit() ? 0 : Math.max(0, mappings.roomBytes());
    }

    @Override
    public @Nullable MachineMemory exceededBy(long bytes) {
        return bytes <= ALWAYS_FITS_BYTES ? null : limits.exceededBy(bytes);
    }

    @Override
    public boolean leavesToJdk(long bytes) {
        return mappings.addressSpace.leaves(bytes);
    }

    @Override
    public long reserve(long bytes, long alignment) {
        FirstUse.ensure();
        try {
            return mappings.reserve(bytes, alignment);
        } catch (OsCallException refusal) {
            if (!refusal.isExhaustion() || !releaseFree(bytes)) {
                throw refusal;
            }
        }
        return mappings.reserve(bytes, alignment);
    }

    /** Makes the pools release free address space; returns whether one did, for whom it was. */
    private boolean releaseFree(long bytes) {
        long room = mappings.roomBytes();
        // Where there is room, it is mappings that ran out, or what the kernel charges.
        long wanted = room >= bytes ? bytes : bytes - room;
        long released = 0;
        for (WeakReference<MemoryBudget> each : served) {
            MemoryBudget budget = each.get();
            if (budget != null && released < wanted) {
                released += budget.releaseFree(wanted - released);
            }
        }
        return released > 0 || (room < bytes && mappings.roomBytes() >= bytes);
    }

    @Override
    public void release(long address, long bytes) {
        mappings.release(address, bytes, false);
    }

    @Override
    public boolean canReleaseMapped() {
        return true;
    }

    @Override
    public void releaseMapped(long address, long bytes) {
        mappings.release(address, bytes, true);
    }

    @Override
    public void commit(long address, long bytes) {
        checkWhole(address, bytes);
    }

    @Override
    public boolean isWhole(long address, long bytes) {
        return reservations.isWhole(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        checkWhole(address, bytes);
        long result;
        do {
            result = calls.madvise(address, bytes, MADV_POPULATE_WRITE);
        } while (result == -Errno.EINTR);
        // Kernels before 5.14, and some sandboxes, do not know it: page faults do it then.
        if (result < 0
                && result != -Errno.EINVAL
                && result != -Errno.EPERM
                && result != -Errno.ENOSYS) {
            throw new OsCallException(
                    "madvise(MADV_POPULATE_WRITE)", errno(result), address, bytes);
        }
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        Objects.checkFromIndexSize(0, count, addresses.length);
        Objects.checkFromIndexSize(0, count, sizes.length);
        int whole = 0;
        for (int i = 0; i < count; i++) { // all: one that is not ours is refused before any goes
            boolean isWhole = reservations.isWhole(addresses[i], sizes[i]);
            whole += isWhole && whole == i ? 1 : 0;
        }
        int done = 0;
        while (done < whole) {
            done += uncommitBatch(addresses, sizes, done, whole);
            if (done < whole) {
                // Alone, so that a refusal has an errno that belongs to this range.
                uncommitChecked(addresses[done], sizes[done], done);
                done++;
            }
        }
        if (whole < count) {
            throw hole(addresses[whole], sizes[whole], whole);
        }
    }

    /** Uncommits as many ranges as one call does, perhaps none; returns how many. */
    private int uncommitBatch(long[] addresses, long[] sizes, int first, int end) {
        int count = Math.min(end - first, IovecLayout.COUNT_MAX);
        if (count < 2 || !batches) {
            return 0;
        }
        long advised = calls.processMadvise(addresses, sizes, first, count, MADV_DONTNEED);
        batches = advised != -Errno.EBADF && advised != -Errno.ENOSYS && advised != -Errno.EPERM;
        if (advised > 0) {
            uncommitErrno = 0;
        }
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
            OsCallException refusal =
                    new OsCallException(
                            "madvise(MADV_DONTNEED)", errno(result), address, bytes, done);
            refused(refusal, address);
            throw refusal;
        }
        uncommitErrno = 0;
    }

    private void refused(OsCallException refusal, long address) {
        if (!refusal.isExhaustion() && !takesOrigin(reservations.enclosing(address, 0))) {
            uncommitErrno = refusal.errno();
            Consumer<OsCallException> listener = refusalListener;
            if (listener != null) {
                listener.accept(refusal);
            }
        }
    }

    /** Whether the origin can be given back: then only what a program has locked is refused. */
    private boolean takesOrigin(Reservation reservation) {
        long origin = reservation.address - osPageSize;
        return reservation.nextHole(origin, reservation.address) == null
                && calls.madvise(origin, osPageSize, MADV_DONTNEED) >= 0;
    }

    @Override
    public void remap(long from, long to, long bytes) {
        checkWhole(from, bytes);
        checkWhole(to, bytes);
        int done = 0;
        for (long offset = 0; offset < bytes; offset += REMAP_GRANULE_BYTES) {
            long result = mappings.move(from + offset, to + offset, REMAP_GRANULE_BYTES);
            if (result < 0) {
                throw new OsCallException(
                        "mremap", errno(result), from + offset, REMAP_GRANULE_BYTES, done);
            }
            done++;
        }
    }

    @Override
    public void renew(long address, long bytes) {
        checkWhole(address, bytes);
        long result = mappings.renew(address, bytes);
        if (result < 0) {
            throw new OsCallException("mmap(MAP_FIXED)", errno(result), address, bytes);
        }
    }

    @Override
    public long residentBytes(long address, long bytes) {
        Reservation _ = reservations.enclosing(address, bytes);
        long resident = calls.mincore(address, bytes);
        return resident < 0 ? bytes : resident;
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        // With its origin, if it is the beginning: they stay one mapping.
        long before = reservations.beginningAt(address) != null ? osPageSize : 0;
        if (!reservations.isWhole(address, bytes)) {
            return false;
        }
        int advice = wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
        return calls.madvise(address - before, before + bytes, advice) >= 0;
    }

    /** No call is made on a hole: it may be somebody else's memory by now. */
    private void checkWhole(long address, long bytes) {
        if (!reservations.isWhole(address, bytes)) {
            throw hole(address, bytes, 0);
        }
    }

    private static OsCallException hole(long address, long bytes, int done) {
        return new OsCallException(
                "mmap(MAP_FIXED_NOREPLACE), over a hole", Errno.ENOMEM, address, bytes, done);
    }
}
