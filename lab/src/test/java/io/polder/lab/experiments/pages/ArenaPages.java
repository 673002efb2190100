package io.polder.lab.experiments.pages;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Pages from an arena of the JDK; refuses some or hands some out twice if told to. */
final class ArenaPages implements PageSource {
    private final Arena arena = Arena.ofShared();
    private final Map<Long, Deque<Taken>> free = new HashMap<>();
    private final Set<Taken> taken = new HashSet<>();
    private final int refuseEvery;
    private final int doubleEvery;
    private Taken last = new Taken(0, 0, this);
    private int takes;
    private int expected;

    /**
     * @param refuseEvery refuses one take of so many; 0 none
     * @param doubleEvery hands a page out again, to every so many takes; 0 to none
     */
    ArenaPages(int refuseEvery, int doubleEvery) {
        this.refuseEvery = refuseEvery;
        this.doubleEvery = doubleEvery;
    }

    @Override
    public synchronized @Nullable Taken take(long leastBytes, long mostBytes) {
        takes++;
        if (refuseEvery > 0 && takes % refuseEvery == 0) {
            return null;
        }
        if (doubleEvery > 0 && takes % doubleEvery == 0 && last.bytes() == mostBytes) {
            return last;
        }
        Taken page = free(mostBytes).poll();
        if (page == null) {
            long address = arena.allocate(mostBytes, 4096).address();
            page = new Taken(address, mostBytes, new Object());
        }
        taken.add(page);
        last = page;
        return page;
    }

    private Deque<Taken> free(long bytes) {
        return free.computeIfAbsent(bytes, _ -> new ArrayDeque<>());
    }

    @Override
    public synchronized void give(Taken page, long dirtyBytes) {
        if (dirtyBytes < 0 || dirtyBytes > page.bytes()) {
            throw new AssertionError("dirtyBytes=" + dirtyBytes);
        }
        if (taken.remove(page)) {
            free(page.bytes()).add(page);
        } else if (doubleEvery == 0) {
            throw new AssertionError("a page is given once: " + page);
        }
    }

    @Override
    public synchronized void expect(long bytes, int count) {
        expected += count;
    }

    synchronized int expected() {
        return expected;
    }

    synchronized int taken() {
        return taken.size();
    }

    @Override
    public Holdings holdings() {
        return new Holdings(0, 0, 0, 0, 0, 0);
    }

    @Override
    public void verify() {
        // Nothing to check.
    }

    @Override
    public void close() {
        arena.close();
    }
}
