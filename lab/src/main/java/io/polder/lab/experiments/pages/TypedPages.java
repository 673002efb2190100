package io.polder.lab.experiments.pages;

import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A model of ZGC's page cache of 2018: a list for each type of page, and pages keep their type. It
 * manages real memory, mapped from a file as ZGC's is.
 *
 * <pre>{@code
 *        take: newest first                   flush: oldest first, medium before small
 *   small  [2][2][2]...[2]  <-- a page that was given ...
 *   medium [32][32]...[32]       ... comes here
 *
 *   take:   1. from the list of its type
 *           2. a new page, of granules that no page has
 *           3. flush: unmap free pages of any type until there are enough such granules, then 2.
 * }</pre>
 *
 * <p>All of it is done by the thread that takes; it also pays the faults when it touches the new
 * mapping. Pages are never split and never coalesced.
 *
 * <p>Invariant: every granule of the file is in exactly one page or loose; every view, an aligned
 * place among the addresses, has at most one page.
 *
 * <p>Locking: one lock for all; unmapping is done under it, mapping after it.
 */
final class TypedPages implements PageSource {
    private static final long SMALL_BYTES = ObjectKind.SMALL.pageBytesMax();
    private static final long MEDIUM_BYTES = ObjectKind.MEDIUM.pageBytesMax();

    private final int granuleCount;
    private final GranuleFile file = new GranuleFile("polder-lab-typed");
    private final Type small;
    private final Type medium;

    /** Granules that no page has: a stack. */
    private final int[] loose;

    private int looseCount;
    private int takenGranules;
    private int used;
    private long flushes;
    private long flushedBytes;

    /** A page. */
    private static final class TypedPage {
        /** Which list it belongs to. */
        final Type type;

        /** Where it is mapped. */
        final long address;

        /** Of the file. */
        final int[] granules;

        TypedPage(Type type, long address, int[] granules) {
            this.type = type;
            this.address = address;
            this.granules = granules;
        }
    }

    /** Pages of one size. */
    private static final class Type {
        final long pageBytes;
        final long addresses;
        final long addressBytes;
        final ArrayDeque<TypedPage> free = new ArrayDeque<>();

        /** Places where no page is mapped; the lowest is the last. */
        final ArrayDeque<Long> views = new ArrayDeque<>();

        Type(long pageBytes, long bytesMax) {
            this.pageBytes = pageBytes;
            this.addressBytes = bytesMax + pageBytes;
            this.addresses = FileCalls.reserve(addressBytes);
            long first = -(-addresses & -pageBytes);
            for (long at = first; at + pageBytes <= addresses + addressBytes; at += pageBytes) {
                views.addFirst(at);
            }
        }

        int pageGranules() {
            return Math.toIntExact(pageBytes / PageSpace.GRANULE_BYTES);
        }
    }

    /**
     * @param bytesMax what there may be together
     */
    TypedPages(long bytesMax) {
        granuleCount = Math.toIntExact(bytesMax / PageSpace.GRANULE_BYTES);
        int first = file.add(granuleCount);
        loose = new int[granuleCount];
        // The lowest is taken first.
        Arrays.setAll(loose, i -> first + granuleCount - 1 - i);
        looseCount = granuleCount;
        small = new Type(SMALL_BYTES, bytesMax);
        medium = new Type(MEDIUM_BYTES, bytesMax);
    }

    @Override
    public @Nullable Taken take(long leastBytes, long mostBytes) {
        Type type = type(leastBytes, mostBytes);
        TypedPage page;
        synchronized (this) {
            page = type.free.pollLast();
            boolean found = page != null;
            if (!found) {
                page = createLocked(type);
            }
            if (page == null) {
                return null;
            }
            takenGranules += type.pageGranules();
            if (found) {
                return new Taken(page.address, type.pageBytes, page);
            }
        }
        file.map(page.address, page.granules, 0, page.granules.length);
        return new Taken(page.address, type.pageBytes, page);
    }

    private Type type(long leastBytes, long mostBytes) {
        for (Type type : List.of(small, medium)) {
            if (type.pageBytes == mostBytes && leastBytes == mostBytes) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "a typed page has one of two sizes: leastBytes="
                        + leastBytes
                        + ", mostBytes="
                        + mostBytes);
    }

    /** A page of loose granules, not mapped yet; null if there are not enough granules. */
    private @Nullable TypedPage createLocked(Type type) {
        int count = type.pageGranules();
        if (looseCount + free(medium) + free(small) < count) {
            return null;
        }
        if (looseCount < count) {
            flushLocked(count - looseCount);
        }
        int[] granules = new int[count];
        for (int i = 0; i < count; i++) {
            granules[i] = loose[--looseCount];
        }
        Arrays.sort(granules);
        used = Math.max(used, granuleCount - looseCount);
        return new TypedPage(type, type.views.removeLast(), granules);
    }

    /** Unmaps free pages until at least so many granules are loose. */
    private void flushLocked(int wanted) {
        flushes++;
        int missing = wanted;
        for (Type type : List.of(medium, small)) {
            while (missing > 0 && !type.free.isEmpty()) {
                TypedPage page = type.free.removeFirst();
                FileCalls.unmap(page.address, type.pageBytes);
                type.views.addLast(page.address);
                for (int granule : page.granules) {
                    loose[looseCount++] = granule;
                }
                flushedBytes += type.pageBytes;
                missing -= page.granules.length;
            }
        }
    }

    private static int free(Type type) {
        return type.free.size() * type.pageGranules();
    }

    @Override
    public synchronized void give(Taken page, long dirtyBytes) {
        TypedPage given = (TypedPage) page.page();
        given.type.free.addLast(given);
        takenGranules -= given.type.pageGranules();
    }

    @Override
    public void expect(long bytes, int count) {
        // It has no use for it.
    }

    @Override
    public synchronized Holdings holdings() {
        long freeMedium = medium.free.size() * MEDIUM_BYTES;
        long free = freeMedium + small.free.size() * SMALL_BYTES;
        long committed = used * PageSpace.GRANULE_BYTES;
        long looseBytes = (used - (granuleCount - looseCount)) * PageSpace.GRANULE_BYTES;
        return new Holdings(committed, free + looseBytes, freeMedium, flushes, 0, flushedBytes);
    }

    @Override
    public synchronized void verify() {
        List<TypedPage> pages = new ArrayList<>(small.free);
        pages.addAll(medium.free);
        boolean[] seen = new boolean[granuleCount];
        for (int i = 0; i < looseCount; i++) {
            see(seen, loose[i]);
        }
        for (TypedPage page : pages) {
            for (int granule : page.granules) {
                see(seen, granule);
            }
        }
        int sum = looseCount + free(medium) + free(small) + takenGranules;
        if (sum != granuleCount) {
            throw new AssertionError(
                    "a granule is loose, in a free page or in a taken one: sum="
                            + sum
                            + ", granules="
                            + granuleCount);
        }
    }

    private static void see(boolean[] seen, int granule) {
        if (seen[granule]) {
            throw new AssertionError("a granule is in one place: granule=" + granule);
        }
        seen[granule] = true;
    }

    @Override
    public synchronized void close() {
        if (takenGranules > 0) {
            throw new IllegalStateException(
                    "all pages must be given back: takenGranules=" + takenGranules);
        }
        FileCalls.release(small.addresses, small.addressBytes);
        FileCalls.release(medium.addresses, medium.addressBytes);
        file.close();
    }
}
