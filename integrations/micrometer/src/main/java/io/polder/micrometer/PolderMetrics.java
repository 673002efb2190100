package io.polder.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.polder.MemoryPool;

import java.lang.ref.WeakReference;
import java.util.Objects;

/**
 * The meters of one pool, {@code polder.memory.used} and so on; or, by {@link #bindToAll}, those of
 * all pools of the process.
 *
 * <p>Every meter has tag {@code pool}: the name of the pool, followed by {@code #2} for the second
 * one of that name. Where another pool in the registry is called so, it is the next number that is
 * free; a pool keeps its tag as long as it is open. Figures come from {@link MemoryPool#stats} when
 * a registry asks for them: one look at a pool serves all of its meters, once each, for a second at
 * most. Pools do nothing for it.
 *
 * <p>When a pool is closed, its meters are removed by the next look at any meter of Polder's in
 * that registry. A scrape that is that look may still have some of them: counters as they were
 * last, all others not a number, as {@code NaN} in Prometheus; the scrape after it has none.
 * That is so, and what {@link #bindToAll} says of scrapes, where they are more than a second apart.
 *
 * <p>Meters that somebody else removed, as by {@link MeterRegistry#clear}, are registered again
 * when the pool, or all pools, are bound again, and by the next look at a meter that is left. A
 * {@link io.micrometer.core.instrument.config.MeterFilter MeterFilter} keeps out what is not
 * wanted. Pools whose meters a filter maps to one id, as one that drops tag {@code pool}, share a
 * meter: it has the figures of one of them, and after its close those of another.
 *
 * <p>Nothing here keeps a pool reachable.
 *
 * <p>Thread-safe.
 */
public final class PolderMetrics implements MeterBinder {
    private final WeakReference<MemoryPool> pool;

    /**
     * The meters of one pool, which this does not keep reachable.
     *
     * @param pool the pool; one that is closed has no meters
     */
    public PolderMetrics(MemoryPool pool) {
        this.pool = new WeakReference<>(Objects.requireNonNull(pool, "pool"));
    }

    /**
     * Registers the meters of the pool, until it is closed. Binding it to the same registry again
     * registers those that were removed from it, and changes nothing else.
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        MemoryPool bound = pool.get();
        if (bound != null) {
            RegistryMeters.of(registry).bind(bound);
        }
    }

    /**
     * Registers the meters of all pools of the process: those that are open, and later ones with
     * the first look at any meter of Polder's after they were opened. So the registry that is
     * scraped shows a new pool with its next scrape but one, at the latest; one that has the tag of
     * a pool that was closed since the last scrape, with the one after that. Makes the {@linkplain
     * MemoryPool#common common pool}, so that there is one to be seen from the beginning.
     *
     * <p>Binding them to the same registry again registers those that were removed from it, and
     * adds no others; they go when all bindings are closed.
     *
     * @return what removes the meters when it is closed; need not be kept, or closed, where the
     *     registry lives as long as this library
     */
    public static Binding bindToAll(MeterRegistry registry) {
        MemoryPool _ = MemoryPool.common();
        return RegistryMeters.of(registry).bindAll();
    }

    /** The meters of all pools in one registry. Thread-safe. */
    public interface Binding extends AutoCloseable {
        /**
         * Removes them, but those of pools that are {@linkplain PolderMetrics#bindTo bound} by
         * themselves. Closing it again does nothing.
         */
        @Override
        void close();
    }
}
