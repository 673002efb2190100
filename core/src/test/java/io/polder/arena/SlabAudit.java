package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes stock of a pool at rest: no arena opens or closes meanwhile, and whoever used the pool has
 * been joined.
 *
 * <p>The equation: {@code slabs cut = slabs at home + slabs held}, where home is the source, a slot
 * or the cache of a thread, each slab is there once, and reads as zero.
 *
 * <p>A few private fields are read by reflection: what they hold has no other door.
 */
public final class SlabAudit {
    private final SlabMemory memory;
    private final MemorySegment zeros;
    private final Map<Long, String> homes = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long slotsTaken;

    private SlabAudit(SlabMemory memory) {
        this.memory = memory;
        this.zeros = MemorySegment.ofArray(new byte[Math.toIntExact(memory.slabBytes())]);
    }

    /** Checks that every slab is at home. */
    public static void check(SlabMemory memory) {
        check(memory, 0);
    }

    /**
     * Checks the invariants and the equation.
     *
     * @param held how many slabs are with arenas that are open, or were left open by a thread
     * @throws AssertionError if anything is not as it must be
     */
    public static void check(SlabMemory memory, long held) {
        memory.verify();
        SlabAudit audit = new SlabAudit(memory);
        audit.lookAtSource();
        audit.lookAtSlots();
        audit.lookAtThreads();
        audit.compare(held);
        if (!audit.faults.isEmpty()) {
            throw new AssertionError(String.join("\n", audit.faults));
        }
    }

    private void lookAtSource() {
        SlabSource source = memory.source();
        long[] taken = new long[Math.toIntExact(source.counts().free())];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = source.tryTake();
        }
        for (int i = taken.length - 1; i >= 0; i--) {
            source.give(taken[i]); // in the order that restores the stack
            home(taken[i], "source");
        }
    }

    private void lookAtSlots() {
        for (long word : (long[]) field(memory.slots(), "words")) {
            if ((word & 1) != 0) {
                slotsTaken++;
            } else if (word != 0) {
                home(word, "slot");
            }
        }
    }

    private void lookAtThreads() {
        for (Object known : (Collection<?>) field(memory.registry(), "known")) {
            ThreadSlabs slabs = (ThreadSlabs) known;
            slabs.verify();
            List<Long> taken = new ArrayList<>();
            for (long slab = slabs.take(); slab != 0; slab = slabs.take()) {
                taken.add(slab);
                home(slab, "thread " + slabs.ownerId());
            }
            if (!taken.isEmpty()) {
                slabs.give(taken.removeFirst()); // the top, then the rest from the bottom
                taken.reversed().forEach(slabs::give);
            }
        }
    }

    @SuppressWarnings("restricted")
    private void home(long slab, String where) {
        String before = homes.put(slab, where);
        if (before != null) {
            faults.add(
                    "a slab is in one place: slab=%x, places=%s, %s"
                            .formatted(slab, before, where));
        }
        MemorySegment bytes = MemorySegment.ofAddress(slab).reinterpret(memory.slabBytes());
        long dirty = bytes.mismatch(zeros);
        if (dirty >= 0) {
            faults.add(
                    "a slab at home reads as zero: slab=%x, offset=%d, home=%s"
                            .formatted(slab, dirty, where));
        }
    }

    private void compare(long held) {
        long slabs = memory.counts().slabs();
        if (slabs != homes.size() + held) {
            faults.add(
                    "slabs = home + held: slabs=%d, home=%d, held=%d"
                            .formatted(slabs, homes.size(), held));
        }
        if (slotsTaken > held) {
            faults.add("a slot taken has an arena: taken=%d, held=%d".formatted(slotsTaken, held));
        }
    }

    static Object field(Object owner, String name) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            @Nullable Object value = field.get(owner);
            if (value == null) {
                throw new AssertionError("a field looked at has a value: name=" + name);
            }
            return value;
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("adapt the audit: field=" + name, renamed);
        }
    }
}
