package io.polder;

import io.polder.memory.DeepStackRunner;

import java.util.function.Supplier;

/**
 * Initialises classes of the library before they are used: an error in the middle of that, for want
 * of stack, would have the JVM give up on the class for good.
 *
 * <p>By name, since most of them are known to their own rooms alone. A name that is none is found
 * when the first pool is made. Where all are initialised, this does nothing.
 *
 * <p>Thread-safe.
 */
final class ClassPreloader {
    private static final String[] OF_POOLS = {
        "arena.ArenaChunks",
        "arena.BumpRange",
        "arena.ChunkSource",
        "arena.DeferredArena",
        "arena.DeferredGroup",
        "arena.GrowthPolicy",
        "arena.Overwriting",
        "arena.SlabSlots",
        "event.EventHold",
        "event.Events",
        "page.space.Demand",
        "page.space.Extent$State",
        "page.space.Granules",
        "page.space.PageSpace",
        "page.space.RunIndex",
        "page.space.UserPage",
        "Shrinkers$Looking",
    };

    private static final String[] OF_BLOCKS = {
        "block.AnnouncedSpans",
        "block.BiasedOwner",
        "block.BlockSpace",
        "block.Carving",
        "block.LargeBlocks",
        "block.Reallocator",
        "block.RemoteFrees",
        "block.SizeClass",
        "block.SlowPath",
        "block.Span",
        "block.SpanMap",
        "block.ThreadHeaps",
        "block.ThreadHeap",
        "block.Fences",
        "memory.ProcessFence",
    };

    /** Apart: where they are not used, compilers count on it. */
    private static final String[] OF_CHECKED_BLOCKS = {
        "block.CheckedBlock",
        "block.CheckedBlocks",
        "block.Pattern",
        "block.Quarantine",
        "block.SpanChecks",
        "leak.Trace",
    };

    private static final String[] OF_WATCHED_BLOCKS = {
        "block.WatchedBlocks", "block.WatchedBlocks$Watched", "leak.LeakRecord", "leak.Trace",
    };

    private static final String[] OF_HEAPS = {
        "gate.Accessor",
        "gate.Slots",
        "gate.Stripes",
        "heap.EvacuationFailurePolicy",
        "heap.space.Allocator",
        "heap.space.CompactionDeferral",
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

    /** Initialises what heaps need. */
    static void ofHeaps() {
        initialiseAmply(OF_HEAPS);
    }

    /** Initialises what blocks need, and what those need that are checked, or watched. */
    static void ofBlocks(boolean checked, boolean watched) {
        initialiseAmply(OF_BLOCKS);
        if (checked) {
            initialiseAmply(OF_CHECKED_BLOCKS);
        }
        if (watched) {
            initialiseAmply(OF_WATCHED_BLOCKS);
        }
    }

    private static void initialiseAmply(String[] names) {
        boolean _ =
                DeepStackRunner.call(
                        new Supplier<Boolean>() {
                            @Override
                            public Boolean get() {
                                initialise(names);
                                return true;
                            }
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
