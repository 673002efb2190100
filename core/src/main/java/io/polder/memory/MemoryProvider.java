package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * Address space and the memory behind it, as the operating system hands them out.
 *
 * <pre>{@code
 *           reserve           commit, then touch or populate
 * (nothing) -------> reserved ------------------------------> committed
 *           <-------          <------------------------------
 *           release                     uncommit
 *
 * remap(from, to):   from: committed  ->  reserved, reads as zero
 *                    to:   reserved   ->  committed, holds what was at from
 * }</pre>
 *
 * <p><b>States.</b> A <em>reserved</em> range has addresses and no memory. A <em>committed</em>
 * range has memory behind every OS page that was touched. Reserved memory reads as zero, and so
 * does uncommitted memory: nothing that was written survives an uncommit. Committed
 * bytes are counted by the layer above; a provider counts nothing.
 *
 * <p><b>The order of calls.</b> {@link #commit} comes before the first access after {@link
 * #reserve} and after {@link #uncommit}. On Linux and in the plain provider it is only a check,
 * because one reservation is accessible as a whole; a provider that has to map memory explicitly,
 * or that enforces a limit, does its work and fails there.
 *
 * <p><b>What a provider cannot do</b>, as {@link #canUncommit} and {@link #canRemap} say, is not
 * asked of it.
 *
 * <p><b>Failure.</b> Every call can fail and none aborts. What the operating system refuses is an
 * {@link OsCallException} with the errno; the state is then as it was before the call, except where
 * a method says otherwise. In particular an uncommit that fails means "still committed". A range
 * that lies in no reservation is an {@link IllegalArgumentException}, thrown before anything has
 * happened; nothing else is looked at that the layers above compute. The
 * layers above turn an exhausted {@link OsCallException} into an {@link OutOfMemoryError}; see
 * {@link MemoryExhaustedException#toOutOfMemoryError}.
 *
 * <p><b>Threads.</b> Thread-safe. Two calls on overlapping ranges at the same time are the caller's
 * mistake, as is any access to a range during {@link #release} or {@link #remap}.
 *
 * <p><b>Units.</b> Addresses and sizes are in bytes and, unless a method says otherwise, positive
 * multiples of {@link #osPageSize}. A range lies inside one reservation.
 */
public interface MemoryProvider {

    /**
     * The unit of {@link #remap}: the memory that one entry of the second-lowest level of the page
     * table covers on x86-64 and aarch64 with 4 KiB pages. Aligned to it at both ends, the kernel
     * moves tables of pages instead of single pages.
     */
    long REMAP_GRANULE_BYTES = 2L << 20;

    /** How many mappings a kernel allows as long as nobody changed it. */
    long MAX_MAP_COUNT = 65_530;

    /** A short name for statistics and logs, such as {@code linux} or {@code plain}. */
    String name();

    /** Bytes of an OS page, a power of two: the unit of commit and uncommit. */
    long osPageSize();

    /**
     * How many mappings the process may have ({@code vm.max_map_count}); where the kernel does not
     * say, what it allows as long as nobody changed it.
     */
    default long maxMapCount() {
        return MAX_MAP_COUNT;
    }

    /**
     * Whether memory can be given back by {@link #uncommit}. If not, all of a reservation has
     * memory from its beginning to its end. The same ever after: it says how memory is counted.
     */
    boolean canUncommit();

    /**
     * Whether memory is given back as things are. Not where {@link #canUncommit} is false; nor
     * while the operating system refuses, and not for want of something: because a sandbox forbids
     * the call, or all memory is locked.
     */
    default boolean givesBack() {
        return canUncommit();
    }

    /**
     * Sets who is told when an uncommit is refused such that {@link #givesBack} becomes false, or
     * stays it. There is one for a provider, and the last one is it.
     *
     * @param listener called with locks of all kinds held: wakes somebody, and does nothing else
     */
    default void onRefusedUncommit(Consumer<OsCallException> listener) {}

    /**
     * Makes a pool release free address space before a reservation is refused. The pool may become
     * unreachable all the same.
     */
    default void serves(MemoryBudget budget) {}

    /**
     * How much address space may be reserved now beyond what is needed at once. Less than all there
     * is where the process may have less, and nothing where it is charged before it is used.
     */
    default long reservableAheadBytes() {
        return Long.MAX_VALUE;
    }

    /**
     * What bounds the size of a single allocation, if that many bytes exceed it. Address space in
     * that size may be had all the same, and memory for a part of it.
     *
     * @return null if the operating system would grant that many bytes to {@code malloc}, or judges
     *     by itself when it is asked for
     */
    default @Nullable MachineMemory exceededBy(long bytes) {
        return null;
    }

    /** Whether {@link #remap} can move memory, without copying it. */
    boolean canRemap();

    /**
     * Whether that many bytes may be had from the JDK in place of a reservation that is refused:
     * not where the JVM itself may end for want of it.
     */
    default boolean leavesToJdk(long bytes) {
        return true;
    }

    /**
     * Reserves address space that reads as zero, is readable and writable after {@link #commit},
     * and has no memory behind it until it is touched. The plain provider has memory behind it at
     * once.
     *
     * <p>Where there is none left, the pools that the provider {@linkplain #serves serves} release
     * what is free: so the caller holds no lock that one of them takes for that.
     *
     * @param bytes how much
     * @param alignment of the address; any power of two
     * @return the address of the first byte
     * @throws OsCallException if there is no such address space
     */
    long reserve(long bytes, long alignment);

    /**
     * Returns a whole reservation to the operating system, with the memory behind it.
     *
     * @param address what {@link #reserve} returned
     * @param bytes what {@link #reserve} was asked for
     * @throws OsCallException if the operating system refuses; the reservation then still stands,
     *     as it does after an error
     */
    void release(long address, long bytes);

    /** Whether {@link #releaseMapped} leaves the addresses mapped. */
    default boolean canReleaseMapped() {
        return false;
    }

    /**
     * As {@link #release}, but for as long as the process runs the addresses can be read, by
     * threads that do not know of the release: what they find is zeros, or what somebody else has
     * written there since. Addresses left mapped take no memory; later reservations get them first,
     * and leave them mapped in their turn. Where {@link #canReleaseMapped} is false this is {@link
     * #release}.
     */
    default void releaseMapped(long address, long bytes) {
        release(address, bytes);
    }

    /**
     * Makes a range accessible. Does not touch it: memory arrives with the first access to each OS
     * page, or with {@link #populate}.
     *
     * @throws OsCallException if the range cannot be made accessible, or not all of it {@linkplain
     *     #isWhole is there}
     */
    void commit(long address, long bytes);

    /**
     * Whether all of a range is reserved as it was. The operating system may unmap a part and
     * refuse then, in a {@link #remap} or {@link #renew}. Where that cannot be undone at once,
     * others may have the addresses: every call on them is refused, and a release leaves them out.
     */
    default boolean isWhole(long address, long bytes) {
        return true;
    }

    /**
     * Puts memory behind every OS page of a committed range now, where the kernel knows how to;
     * otherwise it comes with the first access. Bytes already written keep their value.
     *
     * @throws OsCallException if memory is missing; part of the range may be populated then
     */
    default void populate(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Gives the memory behind a range back. The range stays reserved and reads as zero.
     *
     * @throws OsCallException if the operating system refuses; the range then counts as committed,
     *     and each of its OS pages reads as before or as zero
     */
    default void uncommit(long address, long bytes) {
        uncommit(new long[] {address}, new long[] {bytes}, 1);
    }

    /**
     * Uncommits several ranges, with one system call where the kernel allows. The ranges are
     * handled in order.
     *
     * @param addresses the first address of each range
     * @param sizes the bytes of each range
     * @param count how many ranges, counted from index zero of both arrays
     * @throws OsCallException if one range is refused. {@link OsCallException#done} ranges are then
     *     uncommitted, the others count as committed
     */
    default void uncommit(long[] addresses, long[] sizes, int count) {
        throw new UnsupportedOperationException();
    }

    /**
     * Moves the memory behind one range to another. What was behind the target is gone; the source
     * stays reserved and reads as zero. Each granule moved to a place of its own may cost the
     * process one mapping: compare {@link #maxMapCount}, and see {@link #renew}. A
     * target without memory behind it is much cheaper than one that has to be given back first.
     *
     * @param from a multiple of {@link #REMAP_GRANULE_BYTES}
     * @param to a multiple of {@link #REMAP_GRANULE_BYTES}; the two ranges do not overlap
     * @param bytes a multiple of {@link #REMAP_GRANULE_BYTES}
     * @throws OsCallException if the operating system refuses. The first {@link
     *     OsCallException#done} granules are then moved, the others are still at the source; the
     *     target of the others stays reserved, what it held may be gone, and so may one granule of
     *     it: see {@link #isWhole}
     */
    default void remap(long from, long to, long bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Replaces a range by a fresh one: as {@link #uncommit}, and mappings that {@link #remap} left
     * in the range become one again where the kernel can join them: with what is to the left, if
     * that was never target of a remap nor renewed without being joined itself, and with what is
     * further right of the same kind. What is left of a reservation always is. What {@link
     * #adviseHugePages} said of the range is forgotten.
     *
     * @throws OsCallException if the operating system refuses; the range stays reserved, what it
     *     held may be gone, and so may all of it: see {@link #isWhole}
     */
    default void renew(long address, long bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * How much of a committed range has memory behind it now, at most; all of it where that is not
     * known. What is swapped out does not count, and keeps its value.
     */
    default long residentBytes(long address, long bytes) {
        return bytes;
    }

    /**
     * Asks for huge pages behind a range, or for none. Best effort: a refusal is no error. Meant
     * for whole reservations, because a kernel keeps one mapping for each run of addresses with
     * equal advice.
     *
     * @return whether the operating system took the advice
     */
    default boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return false;
    }
}
