package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabSettings;
import io.polder.arena.Slabs;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.ProviderChoice;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Field;
import java.util.Objects;

/** Pools of their own for tests, whose slabs a fixture watches. */
final class WatchedPool {
    private WatchedPool() {}

    /** A pool on the provider of this process. */
    static MemoryPool create(Slabs fixture, long slabBytes, int count) {
        return create(fixture, Providers.choose(), slabBytes, count);
    }

    /** A pool on any provider, with native access. */
    static MemoryPool create(Slabs fixture, MemoryProvider provider, long slabBytes, int count) {
        return create(fixture, new ProviderChoice(provider, true, "a test"), slabBytes, count);
    }

    private static MemoryPool create(
            Slabs fixture, ProviderChoice choice, long slabBytes, int count) {
        MemoryPool pool = CommonPool.create(choice, settings("test", slabBytes, count), null);
        ArenaFactory memory = slabs(pool);
        if (memory != null) {
            fixture.watch(memory);
        }
        return pool;
    }

    /** A pool where native access is denied. */
    static MemoryPool denied() {
        return CommonPool.create(
                new ProviderChoice(Providers.choose().provider(), false, "denied for a test"),
                settings("denied", 4096, 2),
                null);
    }

    private static PoolSettings settings(String name, long slabBytes, int count) {
        return new PoolSettings(
                name,
                MemoryLimits.NONE,
                PoolSettings.DECAY_DEFAULT,
                false,
                false,
                new SlabSettings(slabBytes, count),
                LeakDetection.OFF,
                false,
                false);
    }

    /** The slabs of a pool; null if its arenas are the JDK's. */
    static @Nullable ArenaFactory slabs(MemoryPool pool) {
        try {
            Field field = MemoryPool.class.getDeclaredField("memory");
            field.setAccessible(true);
            return Objects.requireNonNull((PoolMemory) field.get(pool)).arenas;
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("adapt this to the field's name", renamed);
        }
    }
}
