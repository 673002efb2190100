package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Malloc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * What programs do with one kind of arena: each method opens at least one, and closes all of them.
 *
 * <p>Arenas are taken from a {@link Source} of which there are many, so that compilers know neither
 * their class nor, from here, who opened them.
 */
final class ArenaHabits {
    /** Arenas that another thread tries to close at a time. */
    static final int HANDED_OVER = 100;

    /** How often a virtual thread opens arenas before it ends. */
    static final int IN_A_VIRTUAL_THREAD = 500;

    /** Nothing, what most programs ask for, and sizes below, at and above those of slabs. */
    private static final int[] SMALL = {
        5, 20, 0, 100, 8, 500, 64, 1000, 1, 2000, 333, 4096, 24, 4097, 8000, 16_000
    };

    /** Beyond any slab. */
    private static final int[] MEDIUM = {17_000, 20_000, 33_000, 100_000};

    private static final int ALIGNMENT = 64;

    /** More than a thread has slabs. */
    private static final int KEPT_MAX = 8;

    private static final MethodHandle STRLEN =
            Malloc.function(
                            "strlen",
                            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS))
                    .orElseThrow();

    private final Source source;
    private final List<Arena> kept = new ArrayList<>();
    private long cleaned;

    /** Opens arenas. */
    @FunctionalInterface
    interface Source {
        /** Opens one. */
        Arena open();
    }

    /** What a cleanup action throws. */
    private static final class CleanupFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CleanupFailure() {
            super("a cleanup action that fails");
        }
    }

    /** Creates habits with arenas of one kind. */
    ArenaHabits(Source source) {
        this.source = source;
    }

    /** Another one of the small sizes each time. */
    static int smallSize(int times) {
        return SMALL[times & (SMALL.length - 1)];
    }

    void small(int times) {
        one(smallSize(times));
    }

    void medium(int times) {
        one(MEDIUM[times & (MEDIUM.length - 1)]);
    }

    /** An arena with one allocation, of which both ends are written. */
    void one(int bytes) {
        try (Arena arena = source.open()) {
            MemorySegment segment = arena.allocate(bytes);
            if (bytes > 0) {
                segment.set(ValueLayout.JAVA_BYTE, 0, (byte) bytes);
                segment.set(ValueLayout.JAVA_BYTE, bytes - 1L, (byte) bytes);
            }
        }
    }

    /** Up to ten allocations, which now and then outgrow what the arena began with. */
    void pieces(int times) {
        try (Arena arena = source.open()) {
            for (int i = times % 10; i >= 0; i--) {
                arena.allocate(smallSize(times + i) / 4).fill((byte) i);
            }
        }
    }

    /** As a list does that is filled: to 50 KB in pieces of 100 bytes. */
    void growing(int times) {
        try (Arena arena = source.open()) {
            for (int i = 0; i < 500; i++) {
                arena.allocate(100, 1).set(ValueLayout.JAVA_BYTE, 0, (byte) times);
            }
        }
    }

    /** One to eight arenas inside each other; every third time they are closed in a wrong order. */
    void nested(int times) {
        if (times % 3 == 0) {
            try (Arena outer = source.open()) {
                Arena inner = source.open();
                outer.allocate(smallSize(times));
                try (Arena last = source.open()) {
                    inner.allocate(24);
                    inner.close();
                    last.allocate(5);
                }
            }
        } else {
            nest(1 + (times & 7));
        }
    }

    private void nest(int depth) {
        try (Arena arena = source.open()) {
            arena.allocate(ValueLayout.JAVA_LONG, 4);
            if (depth > 1) {
                nest(depth - 1);
            }
            arena.allocate(ValueLayout.JAVA_INT);
        }
    }

    /** Text, arrays, values, alignment, slices, copies. */
    void values(int times) {
        try (Arena arena = source.open()) {
            MemorySegment text = arena.allocateFrom("some text");
            MemorySegment ints = arena.allocateFrom(ValueLayout.JAVA_INT, times, 2, 3);
            MemorySegment aligned = arena.allocate(100, ALIGNMENT);
            aligned.asSlice(0, text.byteSize()).copyFrom(text);
            aligned.set(ValueLayout.JAVA_INT, ALIGNMENT, ints.getAtIndex(ValueLayout.JAVA_INT, 1));
            if (!aligned.getString(0).equals("some text")) {
                throw new AssertionError("what is written can be read: times=" + times);
            }
        }
    }

    /** A call that holds the arena while it runs. */
    void foreignCall(int times) {
        try (Arena arena = source.open()) {
            MemorySegment text = arena.allocateFrom(Integer.toString(times));
            if (text.byteSize() != 1 + strlen(text)) {
                throw new AssertionError("a text ends where it ends: times=" + times);
            }
        }
    }

    private static long strlen(MemorySegment text) {
        try {
            return (long) STRLEN.invokeExact(text);
        } catch (Throwable e) {
            throw Malloc.unexpected(e);
        }
    }

    /** Arenas that outlive the method which opened them. */
    void kept(int times) {
        Arena arena = source.open();
        kept.add(arena);
        arena.allocate(smallSize(times));
        if (kept.size() == KEPT_MAX) {
            release();
        }
    }

    /** Closes what is kept. */
    void release() {
        kept.forEach(Arena::close);
        kept.clear();
    }

    /** An action when the arena is closed. */
    @SuppressWarnings("restricted")
    void cleanup(int times) {
        try (Arena arena = source.open()) {
            arena.allocate(smallSize(times)).reinterpret(arena, _ -> cleaned++);
        }
    }

    /** An action that fails: the arena is closed all the same. */
    @SuppressWarnings("restricted")
    void failingCleanup(int times) {
        Arena arena = source.open();
        arena.allocate(smallSize(times))
                .reinterpret(
                        arena,
                        _ -> {
                            throw new CleanupFailure();
                        });
        refused(CleanupFailure.class, arena::close);
    }

    /** What is refused, with an exception each time. */
    void misuse(int times) {
        Arena arena = source.open();
        MemorySegment segment = arena.allocate(smallSize(times));
        refused(
                IndexOutOfBoundsException.class,
                () -> segment.get(ValueLayout.JAVA_BYTE, segment.byteSize()));
        refused(IllegalArgumentException.class, () -> arena.allocate(-1));
        refused(IllegalArgumentException.class, () -> arena.allocate(8, 3));
        arena.close();
        refused(IllegalStateException.class, () -> arena.allocate(8));
        refused(IllegalStateException.class, arena::close);
    }

    /** Arenas that a thread tries to close which does not own them. */
    void closedByAnother(int times) throws InterruptedException {
        Arena[] arenas = new Arena[HANDED_OVER];
        for (int i = 0; i < arenas.length; i++) {
            arenas[i] = source.open();
            arenas[i].allocate(smallSize(times + i));
        }
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (Arena arena : arenas) {
                                        refused(WrongThreadException.class, arena::close);
                                    }
                                });
        other.join();
        for (Arena arena : arenas) {
            // Only its owner could: an arena that is closed by now would refuse this.
            arena.close();
        }
    }

    private static void refused(Class<? extends RuntimeException> expected, Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            if (expected.isInstance(e)) {
                return;
            }
            throw e;
        }
        throw new AssertionError("this is refused: expected=" + expected.getSimpleName());
    }
}
