package io.polder;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Runs static initialisers of the library before their classes are used: an error in the middle of
 * one, for want of stack, would have the JVM give up on the class for good. The streams of the JDK
 * are such classes: without one of them no stream of the process works any more. Heaps use streams,
 * and so does each walk of a stack. What is not traced of arenas, pages and blocks uses none where
 * it is opened, allocated and closed, since the first one takes some milliseconds.
 *
 * <p>To be run by a {@link io.polder.memory.DeepStackRunner}, which what has them makes as well:
 * so only those are named here that its constructors do not use. By name, since most of them are
 * known to their own rooms alone. A name that is none is found when the first pool is made. Where
 * all have run, this does nothing.
 *
 * <p>Thread-safe.
 */
final class ClassPreloader {
    private static final String[] OF_POOLS = {
        "arena.BumpRange",
        "arena.DeferredArena",
        "arena.ThreadCache",
        "chunk.Uncommitter$What",
        "event.EventHold",
        "event.Events",
        "leak.Kind",
        "page.space.Extent$State",
        "page.space.RunIndex",
        "page.space.UserPage",
        "Shrinkers$Looking",
    };

    /**
     * What says where something was opened, allocated or freed, and what blocks are painted with.
     */
    private static final String[] OF_TRACES = {"block.Pattern", "leak.Trace"};

    private static final String[] OF_HEAPS = {
        "gate.Accessor",
        "gate.Slots",
        "heap.space.CompactionPolicy",
        "heap.space.CompactionPolicy$Round",
        "heap.space.ContentHash",
        "heap.space.Evacuation$Outcome",
        "heap.space.InsideAnyHeap",
        "heap.space.NumberChange",
        "heap.space.ObjectLayout",
        "heap.space.PackedLeafLayout",
        "heap.space.RawAccess",
        "heap.space.Region",
        "heap.space.SmallCopy",
    };

    /** Without memory, and never closed: that would stop all threads. */
    static @Nullable Arena shared;

    private ClassPreloader() {}

    /** Initialises what arenas and pages need. */
    static void ofPools() {
        initialise(OF_POOLS);
        Arena.ofConfined().close(); // two classes of the JDK, for arenas without memory
        shared = Arena.ofShared();
    }

    /** Initialises what heaps need, with streams. */
    static void ofHeaps() {
        initialise(OF_HEAPS);
        useJdk();
    }

    /** Initialises what looks at stacks, and paints blocks, with streams. */
    static void ofTraces() {
        initialise(OF_TRACES);
        useJdk();
    }

    private static void useJdk() {
        MemorySegment _ = MemorySegment.ofArray(new byte[64]).fill((byte) 0);
        List<String> some = Arrays.stream(OF_HEAPS).filter(String::isEmpty).toList();
        long _ = some.stream().mapToLong(String::length).sum();
        boolean _ = StackWalker.getInstance().walk(frames -> frames.anyMatch(_ -> false));
    }

    private static void initialise(String[] names) {
        for (String name : names) {
            try {
                Class<?> _ =
                        Class.forName(
                                "io.polder." + name, true, ClassPreloader.class.getClassLoader());
            } catch (ClassNotFoundException renamed) {
                throw new LinkageError("a class to be initialised must be one of ours", renamed);
            }
        }
    }
}
