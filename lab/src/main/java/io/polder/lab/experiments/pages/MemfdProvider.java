package io.polder.lab.experiments.pages;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Memory that moves as ZGC moves it: all of it is one file, and to move a granule means to unmap it
 * and to map its part of the file elsewhere. The tables of pages do not move along, so the thread
 * that touches it afterwards pays a fault for each OS page.
 *
 * <pre>{@code
 * addresses   | a | b | c | d |      one reservation
 * granules    | 0 | 1 | 2 | 3 |      of the file behind them, at first
 * remap(b, d) | 0 | 3'| 2 | 1 |      swapped; 3' was punched and reads as zero
 * }</pre>
 *
 * <p>Invariant: the granules behind all reservations are different ones.
 *
 * <p>Thread-safe as {@link MemoryProvider} demands: calls on the same range do not overlap.
 */
final class MemfdProvider implements MemoryProvider, AutoCloseable {
    private static final VarHandle WORD =
            ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private final MemoryProvider kernel;
    private final GranuleFile file = new GranuleFile("polder-lab");
    private final List<Reservation> reservations = new CopyOnWriteArrayList<>();

    /** Addresses with the granules behind them. */
    private static final class Reservation {
        final long address;

        /** As they were asked for. */
        final long bytes;

        /** The number of each in the file. */
        final int[] granules;

        Reservation(long address, long bytes, int[] granules) {
            this.address = address;
            this.bytes = bytes;
            this.granules = granules;
        }

        boolean holds(long from, long size) {
            return from >= address && from + size <= address + mappedBytes();
        }

        long mappedBytes() {
            return granules.length * REMAP_GRANULE_BYTES;
        }

        int index(long at) {
            return Math.toIntExact((at - address) / REMAP_GRANULE_BYTES);
        }
    }

    /**
     * A provider with nothing reserved.
     *
     * @param kernel says how large an OS page is, and how many mappings there may be
     */
    MemfdProvider(MemoryProvider kernel) {
        this.kernel = kernel;
    }

    @Override
    public String name() {
        return "memfd";
    }

    @Override
    public long osPageSize() {
        return kernel.osPageSize();
    }

    @Override
    public long maxMapCount() {
        return kernel.maxMapCount();
    }

    @Override
    public boolean canUncommit() {
        return true;
    }

    @Override
    public boolean canRemap() {
        return true;
    }

    @Override
    public long reserve(long bytes, long alignment) {
        int count = Math.toIntExact(Math.ceilDiv(bytes, REMAP_GRANULE_BYTES));
        long size = count * REMAP_GRANULE_BYTES;
        long aligned = Math.max(alignment, REMAP_GRANULE_BYTES);
        long mapped = FileCalls.reserve(size + aligned);
        long address = -(-mapped & -aligned);
        if (address > mapped) {
            FileCalls.release(mapped, address - mapped);
        }
        long rest = mapped + size + aligned - (address + size);
        if (rest > 0) {
            FileCalls.release(address + size, rest);
        }
        int[] granules = new int[count];
        int first = file.add(count);
        Arrays.setAll(granules, i -> first + i);
        file.map(address, granules, 0, count);
        reservations.add(new Reservation(address, bytes, granules));
        return address;
    }

    @Override
    public void release(long address, long bytes) {
        Reservation reservation = reservation(address, bytes);
        if (reservation.address != address || reservation.bytes != bytes) {
            throw new IllegalArgumentException(
                    "only a whole reservation can be released: bytes=" + bytes);
        }
        reservations.remove(reservation);
        FileCalls.release(address, reservation.mappedBytes());
        file.punch(reservation.granules, 0, reservation.granules.length);
    }

    @Override
    public void commit(long address, long bytes) {
        reservation(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        reservation(address, bytes);
        MemorySegment memory = Zeroing.ADDRESS_SPACE.asSlice(address, bytes);
        for (long offset = 0; offset < bytes; offset += osPageSize()) {
            int _ = (int) WORD.getAndAdd(memory, offset, 0);
        }
    }

    @Override
    public void uncommit(long address, long bytes) {
        Reservation reservation = reservation(address, bytes);
        long at = address;
        while (at < address + bytes) {
            long offset = (at - reservation.address) % REMAP_GRANULE_BYTES;
            long size = Math.min(REMAP_GRANULE_BYTES - offset, address + bytes - at);
            file.punch(reservation.granules[reservation.index(at)], offset, size);
            at += size;
        }
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        for (int i = 0; i < count; i++) {
            uncommit(addresses[i], sizes[i]);
        }
    }

    /** Unmaps, maps elsewhere, and puts the granules that were there behind the source. */
    @Override
    public void remap(long from, long to, long bytes) {
        Reservation source = reservation(from, bytes);
        Reservation target = reservation(to, bytes);
        int count = Math.toIntExact(bytes / REMAP_GRANULE_BYTES);
        int first = source.index(from);
        int second = target.index(to);
        FileCalls.unmap(from, bytes);
        for (int i = 0; i < count; i++) {
            int moved = source.granules[first + i];
            source.granules[first + i] = target.granules[second + i];
            target.granules[second + i] = moved;
        }
        file.map(to, target.granules, second, count);
        file.punch(source.granules, first, count);
        file.map(from, source.granules, first, count);
    }

    /** As {@link #uncommit}; and granules that are mapped here lie in the order of the file. */
    @Override
    public void renew(long address, long bytes) {
        uncommit(address, bytes);
        Reservation reservation = reservation(address, bytes);
        if (address % REMAP_GRANULE_BYTES == 0 && bytes % REMAP_GRANULE_BYTES == 0) {
            int first = reservation.index(address);
            int count = Math.toIntExact(bytes / REMAP_GRANULE_BYTES);
            Arrays.sort(reservation.granules, first, first + count);
            file.map(address, reservation.granules, first, count);
        }
    }

    private Reservation reservation(long address, long bytes) {
        for (Reservation each : reservations) {
            if (each.holds(address, bytes)) {
                return each;
            }
        }
        throw new IllegalArgumentException(
                "range must lie inside one reservation: address=0x"
                        + Long.toHexString(address)
                        + ", bytes="
                        + bytes);
    }

    /** Closes the file. What is still mapped stays until it is released. */
    @Override
    public void close() {
        file.close();
    }
}
