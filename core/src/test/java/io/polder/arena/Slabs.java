package io.polder.arena;

import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayList;
import java.util.List;

/**
 * Fixture: makes slabs for a test, and looks after each test whether they are all home again. Not
 * thread-safe.
 *
 * {@snippet :
 * @RegisterExtension
 * private final Slabs slabs = new Slabs();
 * }
 */
public final class Slabs implements AfterEachCallback {
    private final List<SlabMemory> watched = new ArrayList<>();
    private long lost;

    /** Slabs of the provider of this process, watched. */
    public SlabMemory create(long bytes, int count) {
        return create(Providers.choose().provider(), bytes, count);
    }

    /** Slabs of a provider, watched; so few slots that a test can use them up. */
    public SlabMemory create(MemoryProvider provider, long bytes, int count) {
        return watch(SlabMemory.create(provider, new SlabSettings(bytes, count), 1));
    }

    /** Watches slabs that somebody else made. */
    public SlabMemory watch(SlabMemory memory) {
        watched.add(memory);
        return memory;
    }

    /** Says that a test leaves arenas open for good, each with a slab. */
    public void expectLost(long arenas) {
        lost += arenas;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        checkAll();
    }

    /** What is checked after each test. */
    void checkAll() {
        for (SlabMemory memory : watched) {
            SlabAudit.check(memory, lost);
        }
    }
}
