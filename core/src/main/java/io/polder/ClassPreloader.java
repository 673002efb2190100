package io.polder;

import io.polder.memory.DeepStackRunner;

import java.util.Arrays;
import java.util.List;

/**
 * Runs static initialisers of the library before their classes are used: an error in the middle of
 * one, for want of stack, would have the JVM give up on the class for good. The streams of the JDK
 * are such classes: without one of them no stream of the process works any more. Heaps use streams,
 * and walk stacks by them. Arenas, pages and blocks use none where they allocate and give back, since
 * the first one takes some milliseconds.
 *
 * <p>By name, since most of them are known to their own rooms alone. A name that is none is found
 * when the first pool is made. Where all have run, this does nothing.
 *
 * <p>Thread-safe.
 */
final class ClassPreloader {
    private static final String[] OF_POOLS = {
        "arena.BumpRange",
        "arena.ChunkSource",
        "arena.DeferredArena",
        "arena.SlabSlots",
        "event.EventHold",
        "event.Events",
        "page.space.Demand",
        "page.space.Extent$State",
        "page.space.Granules",
        "page.space.RunIndex",
        "page.space.UserPage",
        "Shrinkers$Looking",
    };

    private static final String[] OF_BLOCKS = {
        "block.AnnouncedSpans",
        "block.BiasedOwner",
        "block.RemoteFrees",
        "block.SizeClass",
        "block.Span",
        "block.SpanMap",
        "block.ThreadHeaps",
        "block.ThreadHeap",
    };

    /** What says where blocks were allocated or freed, and what those are painted with. */
    private static final String[] OF_TRACED_BLOCKS = {
        "block.Pattern", "leak.Trace",
    };

    private static final String[] OF_HEAPS = {
        "gate.Accessor",
        "gate.Slots",
        "gate.Stripes",
        "heap.EvacuationFailurePolicy",
        "heap.space.Allocator",
        "heap.space.Evacuation",
        "heap.space.Evacuation$Outcome",
        "heap.space.FreedCounts",
        "heap.space.HandleTable",
        "heap.space.HeapAllocation",
        "heap.space.HeapSpace",
        "heap.space.NumberChange",
        "heap.space.ObjectLayout",
        "heap.space.PackedLeafLayout",
        "heap.space.PinCounts",
        "heap.space.RawAccess",
        "heap.space.Region",
        "heap.space.RegionMap",
        "heap.space.RegionType",
    };

    private ClassPreloader() {}

    /** Initialises what arenas and pages need; by a {@link DeepStackRunner} already. */
    static void ofPools() {
        initialise(OF_POOLS);
    }

    /** Initialises what heaps need, with streams. */
    static void ofHeaps() {
        initialiseAmply(OF_HEAPS);
        boolean _ = DeepStackRunner.call(ClassPreloader::useStreams);
    }

    private static boolean useStreams() {
        List<String> some = Arrays.stream(OF_HEAPS).filter(String::isEmpty).toList();
        return some.stream().mapToLong(String::length).sum() > 0
                || StackWalker.getInstance().walk(frames -> frames.anyMatch(_ -> false));
    }

    /** Initialises what blocks need, and what those need that are checked or watched. */
    static void ofBlocks(boolean traced) {
        initialiseAmply(OF_BLOCKS);
        if (traced) {
            initialiseAmply(OF_TRACED_BLOCKS);
        }
    }

    private static void initialiseAmply(String[] names) {
        boolean _ =
                DeepStackRunner.call(
                        () -> {
                            initialise(names);
                            return true;
                        });
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
