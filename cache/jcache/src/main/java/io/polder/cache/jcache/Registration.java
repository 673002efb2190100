package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;

import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;

/**
 * A listener of a cache. A synchronous one is called at once; for another one, a virtual thread
 * calls it with one event after the other, for as long as there are any, and closes it after that.
 *
 * <p>Thread-safe.
 */
final class Registration<K, V> {
    private final CacheEntryListenerConfiguration<K, V> configuration;
    private final ThreadFactory threads;
    private final CacheEntryListener<? super K, ? super V> listener;
    private final @Nullable CacheEntryEventFilter<? super K, ? super V> filter;

    /** What an asynchronous listener was not told yet; guarded by itself, as are the flags. */
    private final Queue<EntryEvent<K, V>> waiting = new ArrayDeque<>();

    private boolean isTelling;

    /** Whether it is closed, or will be when it was told what waits. */
    private boolean isClosing;

    Registration(CacheEntryListenerConfiguration<K, V> configuration) {
        this(configuration, Thread.ofVirtual().name("polder-jcache-listener").factory());
    }

    /**
     * @param threads makes those that call an asynchronous listener
     */
    Registration(CacheEntryListenerConfiguration<K, V> configuration, ThreadFactory threads) {
        this.configuration = configuration;
        this.threads = threads;
        this.listener =
                PolderConfiguration.make(
                        configuration.getCacheEntryListenerFactory(), "a listener");
        Factory<CacheEntryEventFilter<? super K, ? super V>> factory =
                configuration.getCacheEntryEventFilterFactory();
        boolean done = false;
        try {
            this.filter = factory == null ? null : PolderConfiguration.make(factory, "a filter");
            done = true;
        } finally {
            if (!done) {
                Closing.close(listener);
            }
        }
    }

    boolean isOf(CacheEntryListenerConfiguration<K, V> other) {
        return configuration.equals(other);
    }

    void tell(EntryEvent<K, V> event) {
        boolean concerns =
                switch (event.getEventType()) {
                    case CREATED -> listener instanceof CacheEntryCreatedListener;
                    case UPDATED -> listener instanceof CacheEntryUpdatedListener;
                    case REMOVED -> listener instanceof CacheEntryRemovedListener;
                    case EXPIRED -> listener instanceof CacheEntryExpiredListener;
                };
        if (!concerns || (filter != null && !filter.evaluate(event))) {
            return;
        }
        if (configuration.isSynchronous()) {
            call(event);
            return;
        }
        synchronized (waiting) {
            if (isClosing) {
                return;
            }
            waiting.add(event);
            if (isTelling) {
                return;
            }
            isTelling = true;
        }
        boolean started = false;
        try {
            threads.newThread(this::tellWaiting).start();
            started = true;
        } finally {
            if (!started) { // the next event has it told of this one, too, or the close does
                boolean closes;
                synchronized (waiting) {
                    closes = isClosing;
                    isTelling = closes;
                }
                if (closes) {
                    tellWaiting();
                }
            }
        }
    }

    /** Closes the listener after that, if it is to be closed. */
    private void tellWaiting() {
        for (EntryEvent<K, V> event = next(); event != null; event = next()) {
            try {
                call(event);
            } catch (Throwable thrown) {
                Warnings.log("an asynchronous listener of a cache has thrown", thrown);
            }
        }
    }

    @SuppressWarnings("unchecked") // a listener of supertypes takes these events
    private void call(EntryEvent<K, V> event) {
        Iterable<CacheEntryEvent<? extends K, ? extends V>> events = List.of(event);
        switch (event.getEventType()) {
            case CREATED -> ((CacheEntryCreatedListener<K, V>) listener).onCreated(events);
            case UPDATED -> ((CacheEntryUpdatedListener<K, V>) listener).onUpdated(events);
            case REMOVED -> ((CacheEntryRemovedListener<K, V>) listener).onRemoved(events);
            case EXPIRED -> ((CacheEntryExpiredListener<K, V>) listener).onExpired(events);
        }
    }

    /** What an asynchronous listener is told next; null if nothing waits, and its thread ends. */
    private @Nullable EntryEvent<K, V> next() {
        boolean closes;
        synchronized (waiting) {
            EntryEvent<K, V> event = waiting.poll();
            if (event != null) {
                return event;
            }
            isTelling = false;
            closes = isClosing;
        }
        if (closes) {
            closeNow();
        }
        return null;
    }

    /**
     * Closes the listener, once; an asynchronous one when it was told what waits, by this thread if
     * none could be started for that.
     */
    void close() {
        synchronized (waiting) {
            boolean othersDo = isTelling || isClosing;
            isClosing = true;
            if (othersDo) {
                return;
            }
            isTelling = true;
        }
        tellWaiting();
    }

    private void closeNow() {
        Attempts.all(() -> Closing.close(listener), () -> Closing.close(filter));
    }
}
