package io.polder.micrometer.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.polder.micrometer.PolderMetrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Binds the meters of all pools to the registries of an application, until it is closed.
 *
 * <p>Thread-safe.
 */
final class AllPoolsBinder implements MeterBinder, AutoCloseable {
    private final List<PolderMetrics.Binding> bindings = new ArrayList<>();
    private boolean closed;

    /** Does nothing once it is closed. */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (!closed) {
            bindings.add(PolderMetrics.bindToAll(registry));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        bindings.forEach(PolderMetrics.Binding::close);
        bindings.clear();
    }
}
