package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The keys for which a function of the program computes a value right now: a loader, for instance.
 *
 * <p>There is one computation for a key at a time, and who writes to the key waits for it, as in a
 * {@link ConcurrentHashMap}; who reads does not. A computation begins with the monitor of its key
 * in the index held, and writers look for one with that monitor held.
 *
 * <p>Failure: one that has ended counts no more, also where an error, as at the end of a stack,
 * kept it from being removed, or those who wait for it from being woken: they look now and then.
 *
 * <p>It is there only for as long as it runs, on the Java heap. Thread-safe.
 */
final class Computations {
    /**
     * How often who waits looks whether an error kept him from being woken. Guessed: seldom, for
     * there may be very many.
     */
    private static final long LOOK_SECONDS = 10;

    private final Map<Key, Computation> running = new ConcurrentHashMap<>();

    /**
     * How many are in the map, or more: each counts before it comes and until it has gone, and for
     * ever where an error came between. The map's own size is added up, and of no one moment.
     */
    private final AtomicLong count = new AtomicLong();

    /** A function that runs; the key's bytes never change. */
    static final class Computation {
        private final Key key;
        private final Thread thread = Thread.currentThread();
        private final CountDownLatch woken = new CountDownLatch(1);

        /** Set in place by who ends it, before all else: that needs no stack. */
        volatile boolean isEnded;

        /** For the key in hand, and the running thread; it has not begun. */
        Computation(Scratch scratch) {
            this.key = new Key(scratch);
        }

        /** Has its key in hand. */
        void setKey(Scratch scratch) {
            scratch.setKey(key.bytes);
            scratch.hash = key.hash;
        }

        /** The hash of its key. */
        long hash() {
            return key.hash;
        }

        /** Waits until it has ended; an interrupt is passed on. */
        void await() {
            boolean interrupted = false;
            try {
                while (!isEnded) {
                    try {
                        boolean _ = woken.await(LOOK_SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException _) {
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** The bytes of a key. */
    private static final class Key {
        private final byte[] bytes;
        private final long hash;

        Key(Scratch scratch) {
            bytes = Arrays.copyOf(scratch.key, scratch.keyBytes);
            hash = scratch.hash;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(hash);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }
    }

    boolean isEmpty() {
        return count.get() == 0;
    }

    /**
     * The computation of another thread for the key in hand; null if there is none. With the
     * monitor of the key held none begins meanwhile.
     *
     * @param own the one of the caller, if he ends one
     * @throws IllegalStateException if it is one of the running thread that has not ended
     */
    @Nullable Computation find(Scratch scratch, @Nullable Computation own) {
        return isEmpty() ? null : find(new Key(scratch), own);
    }

    private @Nullable Computation find(Key key, @Nullable Computation own) {
        Computation found = running.get(key);
        if (found == null || found == own) {
            return null;
        }
        if (found.isEnded) {
            remove(found); // where an error has left it
            return null;
        }
        if (found.thread == Thread.currentThread()) {
            throw new IllegalStateException(
                    "a function that computes a value must not change the entry of its own key");
        }
        return found;
    }

    /**
     * Begins one, if there is none for this key.
     *
     * @return the one of another thread that is there; null if it has begun
     * @throws IllegalStateException as {@link #find(Scratch, Computation)} does
     */
    @Nullable Computation beginLocked(Computation begun) {
        Computation other = find(begun.key, null);
        if (other == null) {
            long _ = count.incrementAndGet();
            running.put(begun.key, begun);
        }
        return other;
    }

    private void remove(Computation ended) {
        if (running.remove(ended.key, ended)) {
            long _ = count.decrementAndGet();
        }
    }

    /** Forgets one that has ended, which has begun or has failed to, and wakes who waits. */
    void forget(Computation begun) {
        try {
            remove(begun);
        } finally {
            begun.woken.countDown();
        }
    }

    /** Those of other threads. */
    List<Computation> ofOthers() {
        Thread own = Thread.currentThread();
        return running.values().stream().filter(each -> each.thread != own).toList();
    }
}
