package io.polder;

import io.polder.memory.DeepStackRunner;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs static initialisers of the library before their classes are used: an error in the middle of
 * one, for want of stack, would have the JVM give up on the class for good. The streams of the JDK
 * are such classes: without one of them no stream of the process works any more. Heaps use streams,
 * and so does each walk of a stack. What is not traced of arenas, pages and blocks uses none where
 * it is opened, allocated and closed, since the first one takes some milliseconds.
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
        "arena.ThreadCache",
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

    /**
     * What says where something was opened, allocated or freed, and what blocks are painted with.
     */
    private static final String[] OF_TRACES = {
        "block.Pattern", "leak.Trace",
    };

    private static final String[] OF_HEAPS = {
        "gate.Accessor",
        "gate.Slots",
        "gate.Stripes",
        "heap.EvacuationFailurePolicy",
        "heap.space.Allocator",
        "heap.space.Batches",
        "heap.space.CompactionPolicy",
        "heap.space.CompactionPolicy$Round",
        "heap.space.ContentHash",
        "heap.space.Contents",
        "heap.space.Evacuation",
        "heap.space.Evacuation$Outcome",
        "heap.space.FreedCounts",
        "heap.space.HandleTable",
        "heap.space.HeapAllocation",
        "heap.space.HeapSpace",
        "heap.space.InsideAnyHeap",
        "heap.space.Lending",
        "heap.space.NumberChange",
        "heap.space.ObjectLayout",
        "heap.space.PackedLeafLayout",
        "heap.space.PinCounts",
        "heap.space.RawAccess",
        "heap.space.Region",
        "heap.space.RegionMap",
        "heap.space.RegionType",
        "heap.space.RegionWalk",
        "heap.space.RoomMaker$Wanted",
        "heap.space.SmallCopy",
    };

    private ClassPreloader() {}

    /** Initialises what arenas and pages need; by a {@link DeepStackRunner} already. */
    static void ofPools() {
        initialise(OF_POOLS);
        Arena _ = Arena.ofConfined(); // two classes of the JDK, for arenas without memory
        Arena _ = Arena.ofShared();
    }

    /** Initialises what heaps need, with streams. */
    static void ofHeaps() {
        initialiseAmply(OF_HEAPS, true);
    }

    /** Initialises what looks at stacks, with streams. */
    static void ofTraces() {
        initialiseAmply(OF_TRACES, true);
    }

    /** Initialises what blocks need, and what those need that are checked or watched. */
    static void ofBlocks(boolean traced) {
        initialiseAmply(OF_BLOCKS, false);
        if (traced) {
            ofTraces();
        }
    }

    /** Without a lambda, which would be linked where there may be little stack. */
    private static void initialiseAmply(String[] names, boolean streams) {
        boolean _ =
                DeepStackRunner.call(
                        new Supplier<Boolean>() {
                            @Override
                            public Boolean get() {
                                initialise(names);
                                return streams && useStreams();
                            }
                        });
    }

    private static boolean useStreams() {
        List<String> some = Arrays.stream(OF_HEAPS).filter(String::isEmpty).toList();
        return some.stream().mapToLong(String::length).sum() > 0
                || StackWalker.getInstance().walk(frames -> frames.anyMatch(_ -> false));
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
