package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.FreeMemory;
import io.polder.chunk.SpaceCheck;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes stock of a pool at rest: no arena opens or closes meanwhile, and the threads that used the
 * pool have been joined.
 *
 * <p>The equation: {@code used = home + held}, in bytes, where used is what the space says has an
 * owner, and home are the slabs in slots and with threads, and the chunks kept at hand. Each of
 * them is there once, is not free in the space, and reads as zero, as all free memory does that is
 * not marked as dirty.
 *
 * <p>A few private fields are read by reflection: nothing else tells what they hold.
 */
public final class SlabAudit {
    private static final int LOOKS = 5;
    private static final long PAUSE_NANOS = 20_000_000;

    private final ArenaFactory memory;
    private final ChunkSpace space;
    private final MemorySegment zeros;
    private final Map<Long, String> homes = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long homeBytes;

    private SlabAudit(ArenaFactory memory) {
        this.memory = memory;
        this.space = memory.source().space;
        this.zeros = MemorySegment.ofArray(new byte[(int) ChunkLevel.ROOT_BYTES]);
    }

    /** Checks that every chunk is at home. */
    public static void check(ArenaFactory memory) {
        check(memory, 0);
    }

    /**
     * Checks the invariants and the equation.
     *
     * @param heldBytes the chunks of arenas that are open, or were left open by a thread
     * @throws AssertionError if anything is not as it must be
     */
    public static void check(ArenaFactory memory, long heldBytes) {
        List<String> faults = List.of("not looked yet");
        for (int look = 0; look < LOOKS && !faults.isEmpty(); look++) {
            // The background may have had some in hand, of a thread that has ended, or of a tick.
            LockSupport.parkNanos(look * PAUSE_NANOS);
            faults = look(memory, heldBytes);
        }
        if (!faults.isEmpty()) {
            throw new AssertionError(String.join("\n", faults));
        }
    }

    private static List<String> look(ArenaFactory memory, long heldBytes) {
        SlabAudit audit = new SlabAudit(memory);
        SpaceCheck.verify(audit.space);
        audit.lookAtPages(heldBytes);
        audit.lookAtSpace();
        audit.lookAtSlots();
        audit.lookAtThreads();
        audit.lookAtKept();
        audit.compare(heldBytes);
        return audit.faults;
    }

    private void lookAtPages(long heldBytes) {
        PageSpace pages = memory.source().pages;
        PageCheck.verify(pages);
        if (heldBytes == 0 && pages.statistics().takenPages() > 0) {
            faults.add("no arena has pages: " + pages.statistics());
        }
    }

    private void lookAtSpace() {
        for (long dirty : FreeMemory.dirty(space)) {
            faults.add("free memory reads as zero: address=%x, home=space".formatted(dirty));
        }
    }

    private void lookAtSlots() {
        long[] words = memory.slots().words;
        for (int slot = 0; SlabSlots.index(slot) < words.length; slot++) {
            long slab = words[SlabSlots.index(slot)];
            if (slab != 0) {
                home(memory.source().chunk(slab), "slot");
            }
        }
        if (memory.slots().cutOff != null) {
            faults.add("no close is left unfinished: home=slots");
        }
    }

    private void lookAtThreads() {
        ArenaCheck.verify(memory.registry());
        for (ThreadCache slabs : memory.registry().known) {
            ArenaCheck.verify(slabs);
            String where = "thread " + slabs.ownerId;
            List<Long> taken = new ArrayList<>();
            for (long slab = slabs.take(); slab != 0; slab = slabs.take()) {
                taken.add(slab);
                home(memory.source().chunk(slab), where);
            }
            if (!taken.isEmpty()) {
                slabs.give(taken.removeFirst()); // the top, then the rest from the bottom
                taken.reversed().forEach(slabs::give);
            }
            if (slabs.keeperId == 0 && !taken.isEmpty()) {
                faults.add("only keepers keep: home=%s".formatted(where));
            }
            if (slabs.cutOff != null) {
                faults.add("no close is left unfinished: home=%s".formatted(where));
            }
        }
    }

    private void lookAtKept() {
        ArenaCheck.verify(memory.chunkCache());
        for (long word : memory.chunkCache().words) {
            if (ChunkCache.chunk(word) != Chunk.NONE) {
                long chunk = ChunkCache.chunk(word);
                long committed = ChunkCache.committedBytes(word);
                home(chunk, "at hand", (word & Chunk.DIRTY) == 0 ? committed : 0);
                long start = Chunk.address(chunk);
                for (long dirty :
                        FreeMemory.dirty(space, start + committed, start + Chunk.bytes(chunk))) {
                    faults.add("what is not committed reads as zero: address=%x".formatted(dirty));
                }
            }
        }
    }

    private void home(long chunk, String where) {
        home(chunk, where, Chunk.bytes(chunk));
    }

    /**
     * A chunk is there.
     *
     * @param zeroBytes how much of it reads as zero, from its front: what is committed, unless that
     *     is dirty; the space knows what is dirty beyond
     */
    @SuppressWarnings("restricted")
    private void home(long chunk, String where, long zeroBytes) {
        long address = Chunk.address(chunk);
        long bytes = Chunk.bytes(chunk);
        String before = homes.put(address, where);
        if (before != null || SpaceCheck.isFree(space, address, bytes)) {
            faults.add(
                    "a chunk is in one place: address=%x, places=%s, %s"
                            .formatted(address, before == null ? "space" : before, where));
        }
        homeBytes += bytes;
        MemorySegment content = MemorySegment.ofAddress(address).reinterpret(zeroBytes);
        long dirty = content.mismatch(zeros.asSlice(0, zeroBytes));
        if (dirty >= 0) {
            faults.add(
                    "a chunk at home reads as zero: address=%x, offset=%d, home=%s"
                            .formatted(address, dirty, where));
        }
    }

    private void compare(long heldBytes) {
        long used = space.statistics().usedBytes();
        if (used != homeBytes + heldBytes) {
            faults.add(
                    "used = home + held: used=%d, home=%d, held=%d"
                            .formatted(used, homeBytes, heldBytes));
        }
    }

    public static Object field(Object owner, String name) {
        @Nullable Object value = fieldOrNull(owner, name);
        if (value == null) {
            throw new AssertionError("a field looked at has a value: name=" + name);
        }
        return value;
    }

    static @Nullable Object fieldOrNull(Object owner, String name) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("adapt the audit: field=" + name, renamed);
        }
    }
}
