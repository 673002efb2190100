package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.Cache;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.EventType;

/** Listeners of which something fails that is not theirs. */
class RegistrationTest extends JCacheFixture {
    private final Cache<Integer, Integer> cache = cache(types(Integer.class, Integer.class));

    private static MutableCacheEntryListenerConfiguration<Integer, Integer> configuration(
            Factory<CacheEntryListener<Integer, Integer>> factory, boolean isSynchronous) {
        return new MutableCacheEntryListenerConfiguration<>(factory, null, false, isSynchronous);
    }

    private EntryEvent<Integer, Integer> created(int key) {
        return new EntryEvent<>(cache, EventType.CREATED, key, 10 * key, null);
    }

    /** As where the Java heap is full. */
    @Test
    void tell_whereNoThreadCanBeStarted_tellsThatWithTheNextEvent() throws InterruptedException {
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(2);
        CacheEntryCreatedListener<Integer, Integer> listener =
                events ->
                        events.forEach(
                                each -> {
                                    told.add(each.getKey());
                                    all.countDown();
                                });
        AtomicInteger threads = new AtomicInteger();
        ThreadFactory factory =
                task -> {
                    if (threads.getAndIncrement() == 0) {
                        throw new OutOfMemoryError("by the test");
                    }
                    return Thread.ofVirtual().unstarted(task);
                };
        Registration<Integer, Integer> registration =
                new Registration<>(configuration(() -> listener, false), factory);
        assertThatThrownBy(() -> registration.tell(created(1)))
                .isInstanceOf(OutOfMemoryError.class);
        registration.tell(created(2));
        assertThat(all.await(200, TimeUnit.SECONDS)).isTrue();
        assertThat(told).containsExactly(1, 2);
    }

    @Test
    void registerCacheEntryListener_thatFails_canBeTriedAgain() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        CacheEntryCreatedListener<Integer, Integer> listener = _ -> told.getAndIncrement();
        MutableCacheEntryListenerConfiguration<Integer, Integer> configuration =
                configuration(
                        () -> {
                            if (calls.getAndIncrement() == 0) {
                                throw new IllegalStateException("by the test");
                            }
                            return listener;
                        },
                        true);
        assertThatThrownBy(() -> cache.registerCacheEntryListener(configuration))
                .hasMessage("by the test");
        cache.put(1, 10);
        assertThat(told).hasValue(0);
        cache.registerCacheEntryListener(configuration);
        cache.put(2, 20);
        assertThat(told).hasValue(1);
        assertThatThrownBy(() -> cache.registerCacheEntryListener(configuration))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Cannot be closed. */
    record Stuck(AtomicInteger closes, Runnable refusing)
            implements CacheEntryCreatedListener<Integer, Integer>, AutoCloseable {
        @Override
        public void onCreated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {}

        @Override
        public void close() {
            closes.getAndIncrement();
            refusing.run();
        }
    }

    private static void refuse() {
        throw new AssertionError("by the test");
    }

    @Test
    void close_whoseListenersCannotBeClosed_triesAllOfThem() {
        AtomicInteger closes = new AtomicInteger();
        cache.registerCacheEntryListener(
                configuration(() -> new Stuck(closes, RegistrationTest::refuse), false));
        cache.registerCacheEntryListener(
                configuration(() -> new Stuck(closes, RegistrationTest::refuse), true));
        assertThatThrownBy(cache::close).isInstanceOf(AssertionError.class);
        assertThat(closes).hasValue(2);
    }

    /** Is told when it may go on, and says what it was told, and that it was closed. */
    private static final class Slow
            implements CacheEntryCreatedListener<Integer, Integer>, AutoCloseable {
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private final BlockingQueue<Object> said = new LinkedBlockingQueue<>();

        @Override
        public void onCreated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> events) {
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            events.forEach(each -> said.add(each.getKey()));
        }

        @Override
        public void close() {
            said.add("closed");
        }
    }

    @Test
    void close_beforeAnAsynchronousListenerWasToldAll_closesItAfterThat() throws Exception {
        Slow listener = new Slow();
        cache.registerCacheEntryListener(configuration(() -> listener, false));
        cache.put(1, 10);
        cache.put(2, 20);
        cache.close();
        listener.goesOn.countDown();
        for (Object expected : List.of(1, 2, "closed")) {
            assertThat(listener.said.poll(200, TimeUnit.SECONDS)).isEqualTo(expected);
        }
    }

    @Test
    void registerCacheEntryListener_ofACacheThatIsClosedMeanwhile_closesTheListener() {
        Slow listener = new Slow();
        cache.registerCacheEntryListener(
                configuration(
                        () -> {
                            cache.close();
                            return listener;
                        },
                        true));
        assertThat(listener.said).containsExactly("closed");
    }

    private static void assertDoneByAnotherThread(Runnable action) {
        assertThat(CompletableFuture.runAsync(action)).succeedsWithin(Duration.ofMinutes(1));
    }

    /** Whose threads wait for another one, which does the same with another listener. */
    @Test
    void factoryAndClose_thatWaitForAnotherThread_areNotInItsWay() {
        MutableCacheEntryListenerConfiguration<Integer, Integer> other =
                configuration(Slow::new, true);
        AtomicInteger closes = new AtomicInteger();
        MutableCacheEntryListenerConfiguration<Integer, Integer> waiting =
                configuration(
                        () -> {
                            assertDoneByAnotherThread(
                                    () -> cache.registerCacheEntryListener(other));
                            return new Stuck(
                                    closes,
                                    () ->
                                            assertDoneByAnotherThread(
                                                    () ->
                                                            cache.deregisterCacheEntryListener(
                                                                    other)));
                        },
                        true);
        cache.registerCacheEntryListener(waiting);
        cache.deregisterCacheEntryListener(waiting);
        assertThat(closes).hasValue(1);
    }

    @Test
    void registerCacheEntryListener_thatIsDeregisteredMeanwhile_closesTheListener() {
        Slow listener = new Slow();
        List<MutableCacheEntryListenerConfiguration<Integer, Integer>> own = new ArrayList<>();
        own.add(
                configuration(
                        () -> {
                            cache.deregisterCacheEntryListener(own.getFirst());
                            return listener;
                        },
                        true));
        cache.registerCacheEntryListener(own.getFirst());
        assertThat(listener.said).containsExactly("closed");
    }

    /** It is told by who closes it, whether he comes while that fails or after it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_whereNoThreadCouldBeStarted_tellsWhatWaitsAndCloses(boolean isMeanwhile) {
        Slow listener = new Slow();
        listener.goesOn.countDown();
        List<Registration<Integer, Integer>> own = new ArrayList<>();
        ThreadFactory factory =
                _ -> {
                    if (isMeanwhile) {
                        own.getFirst().close();
                    }
                    throw new OutOfMemoryError("by the test");
                };
        own.add(new Registration<>(configuration(() -> listener, false), factory));
        assertThatThrownBy(() -> own.getFirst().tell(created(1)))
                .isInstanceOf(OutOfMemoryError.class);
        own.getFirst().close();
        assertThat(listener.said).containsExactly(1, "closed");
    }
}
