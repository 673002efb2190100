package io.polder.cache;

import static io.polder.cache.LinearizableCheck.NONE;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.cache.LinearizableCheck.Kind;
import io.polder.cache.LinearizableCheck.Operation;
import io.polder.cache.LinearizableCheck.Tick;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Threads that do everything to few keys at the same time, round by round, while another one has
 * the index grow and shrink and the heap compacted: each key behaves as if there was one operation
 * at a time, as {@link LinearizableCheck} says.
 */
class LinearizableTest extends CacheFixture {
    private static final int KEYS = 2;

    /** Of one thread in a round: so few that the check can try all orders. */
    private static final int OPERATIONS = 4;

    private static final int CHURNED_KEYS = 3000;
    private static final Duration LIFETIME = Duration.ofSeconds(1);
    private static final Kind[] KINDS = Kind.values();

    enum Rule {
        STAYS(2),
        EVICTED(3),
        EXPIRES(4);

        private final int threads;

        Rule(int threads) {
            this.threads = threads;
        }
    }

    /** What was done in a round. */
    private static final class History {
        private final List<List<Operation>> ofKeys = new ArrayList<>();
        private final List<Tick> ticks = Collections.synchronizedList(new ArrayList<>());

        private History() {
            for (int key = 0; key < KEYS; key++) {
                ofKeys.add(Collections.synchronizedList(new ArrayList<>()));
            }
        }
    }

    /** Of few sizes: so a value is often put where one of the same size is, and often not. */
    private static String text(int value) {
        return "%07d:".formatted(value) + "x".repeat(value % 50 == 0 ? 6000 : value % 3 * 31);
    }

    private static int number(@Nullable String text) {
        if (text == null) {
            return NONE;
        }
        int value = Integer.parseInt(text.substring(0, text.indexOf(':')));
        assertThat(text).isEqualTo(text(value));
        return value;
    }

    private static int number(boolean done) {
        return done ? 1 : 0;
    }

    private static Operation operate(
            OffHeapCache<Long, String> cache, long key, Kind kind, int expected, int value) {
        ConcurrentMap<Long, String> map = cache.asMap();
        String next = text(value);
        int[] seen = {NONE};
        long begin = System.nanoTime();
        int result =
                switch (kind) {
                    case GET -> number(cache.getIfPresent(key));
                    case PUT -> {
                        cache.put(key, next);
                        yield NONE;
                    }
                    case PUT_IF_ABSENT -> number(map.putIfAbsent(key, next));
                    case REMOVE -> number(map.remove(key));
                    case REMOVE_VALUE -> number(map.remove(key, text(expected)));
                    case REPLACE -> number(map.replace(key, next));
                    case REPLACE_VALUE -> number(map.replace(key, text(expected), next));
                    case COMPUTE, COMPUTE_NONE -> {
                        String _ =
                                map.compute(
                                        key,
                                        (_, known) -> {
                                            seen[0] = number(known);
                                            return kind == Kind.COMPUTE ? next : null;
                                        });
                        yield seen[0];
                    }
                };
        long end = System.nanoTime();
        boolean puts =
                kind != Kind.GET
                        && kind != Kind.REMOVE
                        && kind != Kind.REMOVE_VALUE
                        && kind != Kind.COMPUTE_NONE;
        return new Operation(kind, expected, puts ? value : NONE - 1, result, begin, end);
    }

    /** One thread's part of a round; the numbers of its values are its own. */
    private void work(
            OffHeapCache<Long, String> cache,
            Rule rule,
            int round,
            int thread,
            Random random,
            History history) {
        int values = (round * rule.threads + thread) * OPERATIONS;
        int valuesOfTwoRounds = 2 * rule.threads * OPERATIONS;
        for (int i = 0; i < OPERATIONS; i++) {
            int key = random.nextInt(KEYS);
            Kind kind = KINDS[random.nextInt(KINDS.length)];
            int expected = Math.max(0, values + OPERATIONS - random.nextInt(valuesOfTwoRounds));
            history.ofKeys.get(key).add(operate(cache, key, kind, expected, values + i));
            if (rule == Rule.EXPIRES && random.nextInt(20) == 0) {
                long begin = System.nanoTime();
                clock.addAndGet(LIFETIME.toNanos());
                history.ticks.add(new Tick(begin, System.nanoTime()));
            }
        }
    }

    /** Other keys come and go in waves, and the heap is compacted after each. */
    private static void churn(OffHeapCache<Long, String> cache, AtomicBoolean stop) {
        for (int wave = 0; !stop.get(); wave++) {
            for (long key = KEYS; key < KEYS + CHURNED_KEYS && !stop.get(); key++) {
                if (wave % 2 == 0) {
                    cache.put(key, text((int) key));
                } else if (key % 7 != 0) {
                    cache.invalidate(key);
                }
                if (key % 500 == 0) {
                    cache.cleanUp();
                }
            }
        }
    }

    private void operateTogether(Rule rule, Duration running) throws Exception {
        long seed = new Random().nextLong();
        OffHeapCacheBuilder<Long, String> builder = longs();
        if (rule == Rule.EVICTED) {
            builder.maximumEntries(CHURNED_KEYS / 4);
        } else if (rule == Rule.EXPIRES) {
            builder.expireAfterWrite(LIFETIME);
        }
        Map<Kind, Integer> mix = new EnumMap<>(Kind.class);
        AtomicBoolean stop = new AtomicBoolean();
        try (OffHeapCache<Long, String> cache = builder.build();
                ExecutorService executor = Executors.newCachedThreadPool()) {
            Future<?> churning = executor.submit(() -> churn(cache, stop));
            List<Set<Integer>> values = new ArrayList<>(Collections.nCopies(KEYS, Set.of(NONE)));
            List<Random> randoms = new ArrayList<>();
            for (int thread = 0; thread < rule.threads; thread++) {
                randoms.add(new Random(seed + thread));
            }
            CyclicBarrier barrier = new CyclicBarrier(rule.threads);
            long end = System.nanoTime() + running.toNanos();
            try {
                // Until there was each kind, if the process stood still meanwhile.
                for (int round = 0; System.nanoTime() < end || mix.size() < KINDS.length; round++) {
                    History history = new History();
                    together(executor, cache, rule, round, randoms, history, barrier);
                    check(rule, history, values, mix);
                }
            } finally {
                stop.set(true);
            }
            churning.get();
            CacheCheck.verify(cache.store());
        } catch (Exception | AssertionError thrown) {
            throw new AssertionError("seed=" + seed + " rule=" + rule, thrown);
        }
    }

    private void together(
            ExecutorService executor,
            OffHeapCache<Long, String> cache,
            Rule rule,
            int round,
            List<Random> randoms,
            History history,
            CyclicBarrier barrier)
            throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < rule.threads; thread++) {
            int mine = thread;
            running.add(
                    executor.submit(
                            () -> {
                                barrier.await();
                                work(cache, rule, round, mine, randoms.get(mine), history);
                                return null;
                            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
    }

    private static void check(
            Rule rule, History history, List<Set<Integer>> values, Map<Kind, Integer> mix) {
        for (int key = 0; key < KEYS; key++) {
            List<Operation> operations = history.ofKeys.get(key);
            Set<Integer> last =
                    LinearizableCheck.lastValues(
                            values.get(key), operations, history.ticks, rule == Rule.EVICTED);
            assertThat(last)
                    .as(
                            "key=%s, before=%s, %s, %s",
                            key, values.get(key), operations, history.ticks)
                    .isNotEmpty();
            values.set(key, last);
            operations.forEach(each -> mix.merge(each.kind(), 1, Integer::sum));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anyOperations_areInOneOrderForEachKey(Rule rule) throws Exception {
        operateTogether(rule, Duration.ofSeconds(2));
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void anyOperations_areInOneOrderForEachKey_forLong(Rule rule) throws Exception {
        operateTogether(rule, Duration.ofSeconds(10));
    }

    private static Operation operation(Kind kind, int value, int result, long begin, long end) {
        return new Operation(kind, NONE, value, result, begin, end);
    }

    /** A canary: results that no order gives are found. */
    @Test
    void check_findsWhatNoOrderExplains() {
        Operation put = operation(Kind.PUT, 1, NONE, 10, 20);
        Operation late = operation(Kind.GET, NONE - 1, NONE, 21, 22);
        Operation meanwhile = operation(Kind.GET, NONE - 1, NONE, 15, 25);
        Set<Integer> none = Set.of(NONE);
        assertThat(LinearizableCheck.lastValues(none, List.of(put, late), List.of(), false))
                .isEmpty();
        assertThat(LinearizableCheck.lastValues(none, List.of(put, late), List.of(), true))
                .containsExactly(NONE);
        assertThat(LinearizableCheck.lastValues(none, List.of(put, meanwhile), List.of(), false))
                .containsExactly(1);

        List<Operation> twoComputed =
                List.of(
                        operation(Kind.COMPUTE, 2, NONE, 10, 20),
                        operation(Kind.COMPUTE, 3, NONE, 10, 20));
        assertThat(LinearizableCheck.lastValues(none, twoComputed, List.of(), false)).isEmpty();

        Operation computed = operation(Kind.COMPUTE, 4, 1, 30, 60);
        Operation between = operation(Kind.GET, NONE - 1, NONE, 40, 50);
        List<Operation> vanishes = List.of(put, computed, between);
        assertThat(LinearizableCheck.lastValues(none, vanishes, List.of(), false)).isEmpty();
        assertThat(LinearizableCheck.lastValues(none, vanishes, List.of(), true)).contains(4);

        Operation seen = operation(Kind.GET, NONE - 1, 1, 40, 50);
        Operation gone = operation(Kind.GET, NONE - 1, NONE, 40, 50);
        List<Tick> after = List.of(new Tick(30, 35));
        List<Tick> during = List.of(new Tick(15, 18));
        List<Tick> before = List.of(new Tick(1, 2));
        assertThat(LinearizableCheck.lastValues(none, List.of(put, seen), after, false)).isEmpty();
        assertThat(LinearizableCheck.lastValues(none, List.of(put, gone), before, false)).isEmpty();
        assertThat(LinearizableCheck.lastValues(none, List.of(put, gone), after, false))
                .containsExactly(NONE);
        assertThat(LinearizableCheck.lastValues(none, List.of(put, seen), during, false))
                .contains(1);
        assertThat(LinearizableCheck.lastValues(none, List.of(put, gone), during, false))
                .containsExactly(NONE);
    }
}
