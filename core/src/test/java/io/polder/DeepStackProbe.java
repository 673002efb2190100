package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabAudit;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A program for {@link ChildJvm}: arenas are used near the end of small stacks, at every depth at
 * which something of theirs may be the call that does not fit any more. Then everything is closed,
 * and the program looks what was lost, or handed out twice.
 *
 * <pre>{@code
 *   thread: opens arenas --> descends to the end of its stack --> comes back up, and at each of the
 *           last frames closes one arena, allocates from others --> closes what is still open
 * }</pre>
 *
 * <p>What was open all the time, the <i>bystanders</i>, was painted before and must be afterwards.
 * Arguments: how many threads, one after the other; the kinds of arenas.
 */
final class DeepStackProbe {
    private static final int STACK_BYTES = 256 << 10;

    /** So many frames above the end of the stack is something done. */
    private static final int FRAMES = 60;

    private static final int PAINTED_BYTES = 200;

    /** Within a slab, beyond one, and a page of its own. */
    private static final long[] SIZES = {40, 1500, 40, 20_000, 40, 700, 5 << 20};

    private static final long MAX_BYTES = 5 << 20;

    /** The kinds of arenas. */
    enum Kind {
        CONFINED,
        SHARED,
        DEFERRED,
        FREEING;

        Arena open(MemoryPool pool) {
            return switch (this) {
                case CONFINED -> pool.openConfined();
                case SHARED -> pool.openShared();
                case DEFERRED -> pool.openSharedDeferred();
                case FREEING -> new Freeing(pool.openFreeing());
            };
        }
    }

    /** A freeing arena, as if it were one. */
    private record Freeing(FreeingArena freeing) implements Arena {
        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            return freeing.allocate(byteSize, byteAlignment);
        }

        @Override
        public MemorySegment.Scope scope() {
            return freeing.scope();
        }

        @Override
        public void close() {
            freeing.close();
        }
    }

    /** One arena, and what it gave. Has room for all that, so that nothing is made on the way. */
    private static final class Used {
        private final Arena arena;
        private final MemorySegment[] segments = new MemorySegment[FRAMES + 2];
        private int count;
        private boolean closed;

        Used(Arena arena, long bytes) {
            this.arena = arena;
            if (bytes > 0) {
                allocate(bytes);
                paint();
            }
        }

        void allocate(long bytes) {
            segments[count] = arena.allocate(bytes, 8);
            count++;
        }

        void paint() {
            for (int i = 0; i < count; i++) {
                for (MemorySegment end : ends(segments[i])) {
                    Paint.paint(end, seed(i));
                }
            }
        }

        boolean isZero(int from) {
            for (int i = from; i < count; i++) {
                if (!Paint.isZero(segments[i])) {
                    return false;
                }
            }
            return true;
        }

        boolean isPainted() {
            for (int i = 0; i < count; i++) {
                for (MemorySegment end : ends(segments[i])) {
                    if (!Paint.isPainted(end, seed(i))) {
                        return false;
                    }
                }
            }
            return true;
        }

        private long seed(int i) {
            return System.identityHashCode(this) + 17L * i;
        }

        private static List<MemorySegment> ends(MemorySegment segment) {
            long bytes = Math.min(PAINTED_BYTES, segment.byteSize());
            return List.of(segment.asSlice(0, bytes), segment.asSlice(segment.byteSize() - bytes));
        }

        void close() {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            closed = true;
        }
    }

    private final MemoryPool pool =
            MemoryPool.builder().name("deep").decay(Duration.ofHours(1)).build();
    private final ArenaFactory slabs = Objects.requireNonNull(WatchedPool.slabs(pool));
    private final List<Kind> kinds;
    private final List<String> faults = new ArrayList<>();
    private Used[] open = {};
    private int overflows;
    private int done;
    private long sink;

    private DeepStackProbe(List<Kind> kinds) {
        this.kinds = kinds;
    }

    /** Runs the threads, and prints what was found. */
    public static void main(String[] arguments) throws InterruptedException {
        List<Kind> kinds = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            kinds.add(Kind.valueOf(arguments[i]));
        }
        new DeepStackProbe(kinds).run(Integer.parseInt(arguments[0]));
    }

    private void run(int threads) throws InterruptedException {
        for (int i = 0; i < 50; i++) { // all classes are there, and all calls are linked
            onThread(-1);
        }
        List<Used> bystanders = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Arena arena = kinds.get(i % kinds.size()).open(pool);
            bystanders.add(new Used(arena, SIZES[i % SIZES.length]));
            bystanders.getLast().allocate(100);
            bystanders.getLast().paint();
        }
        overflows = 0;
        done = 0;
        for (int i = 0; i < threads; i++) {
            onThread(i);
        }
        for (Used bystander : bystanders) {
            check(bystander.isPainted(), "a bystander was written to");
        }
        lookAtFresh();
        for (Used bystander : bystanders) {
            check(bystander.isPainted(), "a bystander was written to at the end");
            bystander.close();
        }
        pool.trim();
        PoolStatistics now = pool.stats();
        if (kinds.contains(Kind.FREEING)) { // an error may keep the block it met, up to the close
            long most = overflows * (MAX_BYTES + PageCache.GRANULE_BYTES);
            check(now.usedBytes() <= most, "used is at most " + most + ": " + now.usedBytes());
        } else {
            check(now.usedBytes() == 0, "used is 0: " + now.usedBytes());
            long left = now.committedBytes();
            check(left == 0, "committed is 0: " + left);
            try {
                SlabAudit.check(slabs);
            } catch (AssertionError fault) {
                faults.add(fault.toString());
            }
        }
        pool.close();
        check(pool.stats().reservedBytes() == 0, "reserved is 0: " + pool.stats().reservedBytes());
        System.out.printf(
                "%s: overflows=%d, done=%d%n%s",
                faults.isEmpty() ? "intact" : "HURT",
                overflows,
                done,
                String.join("\n", faults.subList(0, Math.min(20, faults.size()))));
    }

    private void check(boolean holds, String rule) {
        if (!holds) {
            faults.add(rule);
        }
    }

    /** Runs one thread; one with a negative number does the same with enough of stack. */
    private void onThread(int number) throws InterruptedException {
        Thread thread = new Thread(null, () -> live(number), "deep", STACK_BYTES);
        thread.setUncaughtExceptionHandler((_, failure) -> faults.add("thread: " + failure));
        thread.start();
        thread.join();
    }

    private void live(int number) {
        Used[] all = new Used[FRAMES];
        int[] counts = new int[FRAMES];
        for (int i = 0; i < all.length; i++) {
            Arena arena = kinds.get((i + number + 1) % kinds.size()).open(pool);
            all[i] = new Used(arena, (i + number) % 5 == 0 ? 0 : SIZES[(i / 3) % SIZES.length]);
            counts[i] = all[i].count;
        }
        open = all;
        if (number < 0) {
            for (int i = 0; i < FRAMES; i++) {
                use(i);
            }
        } else {
            pad(number % 37, number);
        }
        for (int i = 0; i < all.length; i++) {
            if (!all[i].closed && all[i].arena.scope().isAlive()) {
                check(all[i].isZero(counts[i]), "memory handed out reads as zero");
                all[i].paint();
            }
        }
        for (Used used : all) {
            boolean live = !used.closed && used.arena.scope().isAlive();
            check(!live || used.isPainted(), "an arena was written to");
        }
        for (Used used : all) {
            closeAtLast(used);
        }
    }

    /** Closes again what could not be closed, or what says that it is. */
    private void closeAtLast(Used used) {
        if (!used.closed) {
            try {
                used.arena.close();
            } catch (IllegalStateException alreadyClosed) {
                check(!used.arena.scope().isAlive() || isDeferred(used), "a close is refused");
            }
        }
    }

    private boolean isDeferred(Used used) {
        return used.arena.getClass().getSimpleName().startsWith("Deferred");
    }

    /** Moves the end of the stack: by less than a frame of {@link #descend}. */
    private void pad(int frames, int number) {
        if (frames == 0) {
            sink += descend(number);
        } else {
            padMore(frames - 1, number, sink, frames);
        }
    }

    private void padMore(int frames, int number, long unused, int more) {
        sink += unused & more;
        pad(frames, number);
    }

    /** Returns how many frames lie beyond this one. */
    @SuppressWarnings("InfiniteRecursion") // that is what it is for
    private int descend(int number) {
        int beyond;
        try {
            beyond = descend(number) + 1;
        } catch (StackOverflowError end) {
            beyond = 0;
        }
        if (beyond < FRAMES) {
            use(beyond);
        }
        return beyond;
    }

    private void use(int frame) {
        close(open[frame]);
        close(open[(frame + FRAMES - 1) % FRAMES]); // tried before, with less stack
        for (int i = 1; i < 4; i++) {
            allocate(open[(frame + 7 * i) % FRAMES], SIZES[(frame + i) % (SIZES.length - 1)]);
        }
    }

    private void close(Used used) {
        try {
            if (!used.closed) {
                used.arena.close();
                used.closed = true;
                done++;
            }
        } catch (StackOverflowError end) {
            overflows++;
        } catch (IllegalStateException alreadyClosed) {
            done++; // it was, and what came after that was cut short
        }
    }

    private void allocate(Used used, long bytes) {
        if (used.closed || used.count >= FRAMES) {
            return;
        }
        try {
            used.allocate(bytes);
            done++;
        } catch (StackOverflowError end) {
            overflows++;
        } catch (IllegalStateException alreadyClosed) {
            done++;
        }
    }

    /** Looks at memory that is handed out now, to several threads that all hold it. */
    private void lookAtFresh() throws InterruptedException {
        List<Used> fresh = new ArrayList<>();
        Thread thread =
                new Thread(
                        () -> {
                            for (int i = 0; i < 200; i++) {
                                Used used = new Used(kinds.get(i % kinds.size()).open(pool), 0);
                                for (long bytes : SIZES) {
                                    used.allocate(bytes == 5 << 20 && i % 20 != 0 ? 3000 : bytes);
                                }
                                check(used.isZero(0), "fresh memory reads as zero");
                                used.paint();
                                fresh.add(used);
                            }
                            for (Used used : fresh) {
                                check(used.isPainted(), "fresh memory is handed out once");
                                used.close();
                            }
                        });
        thread.setUncaughtExceptionHandler((_, failure) -> faults.add("fresh: " + failure));
        thread.start();
        thread.join();
    }
}
