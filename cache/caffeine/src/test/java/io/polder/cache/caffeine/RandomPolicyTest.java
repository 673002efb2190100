package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Policy.FixedExpiration;
import com.github.benmanes.caffeine.cache.Policy.VarExpiration;

import io.polder.cache.OffHeapCacheBuilder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/**
 * Caffeine's answers and ours to what a policy is asked of entries that expire, after the same
 * operations at the same times.
 */
class RandomPolicyTest extends ContenderFixture {
    private static final int STEPS = 20_000;
    private static final int KEYS = 20;
    private static final long LIFETIME = 1000;

    private enum Rule {
        AFTER_WRITE,
        AFTER_ACCESS,
        EACH
    }

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    private Cache<Long, String> caffeine(Rule rule) {
        Caffeine<Object, Object> builder =
                Caffeine.newBuilder().ticker(clock::get).executor(Runnable::run);
        return switch (rule) {
            case AFTER_WRITE -> builder.expireAfterWrite(nanos(LIFETIME)).build();
            case AFTER_ACCESS -> builder.expireAfterAccess(nanos(LIFETIME)).build();
            case EACH ->
                    builder.expireAfter(Expiry.writing((Long _, String _) -> nanos(LIFETIME)))
                            .build();
        };
    }

    private Cache<Long, String> polder(Rule rule) {
        OffHeapCacheBuilder<Long, String> builder = longs();
        switch (rule) {
            case AFTER_WRITE -> builder.expireAfterWrite(nanos(LIFETIME));
            case AFTER_ACCESS -> builder.expireAfterAccess(nanos(LIFETIME));
            case EACH -> builder.expireAfter((_, _) -> nanos(LIFETIME));
        }
        return OffHeapCaffeine.asCaffeine(closing(builder.build()));
    }

    /** What one cache says, or the class of what it throws. */
    private static Object answer(
            Cache<Long, String> cache, Function<Cache<Long, String>, @Nullable Object> question) {
        try {
            return String.valueOf(question.apply(cache));
        } catch (RuntimeException thrown) {
            return thrown.getClass();
        }
    }

    private static VarExpiration<Long, String> each(Cache<Long, String> cache) {
        return cache.policy().expireVariably().orElseThrow();
    }

    private static FixedExpiration<Long, String> all(Cache<Long, String> cache) {
        return cache.policy()
                .expireAfterWrite()
                .or(cache.policy()::expireAfterAccess)
                .orElseThrow();
    }

    /** Also durations that no entry may have, and those that end no more. */
    private static Duration lifetime(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> nanos(-1 - random.nextInt(10));
            case 1 -> nanos(Long.MAX_VALUE);
            default -> nanos(1 + random.nextInt((int) (2 * LIFETIME)));
        };
    }

    private static Function<Cache<Long, String>, @Nullable Object> questionOfRule(
            Rule rule, long key, Random random) {
        String value = "v" + random.nextInt(1000);
        if (rule != Rule.EACH) {
            return random.nextBoolean()
                    ? cache -> all(cache).ageOf(key)
                    : cache -> all(cache).getExpiresAfter();
        }
        Duration lifetime = lifetime(random);
        return switch (random.nextInt(6)) {
            case 0 -> cache -> each(cache).getExpiresAfter(key).map(RandomPolicyTest::cut);
            case 1 -> cache -> each(cache).put(key, value, lifetime);
            case 2 -> cache -> each(cache).putIfAbsent(key, value, lifetime);
            case 3 -> cache -> each(cache).compute(key, (_, old) -> old + value, lifetime);
            case 4 -> cache -> each(cache).compute(key, (_, _) -> null, lifetime);
            default ->
                    cache -> {
                        each(cache).setExpiresAfter(key, lifetime);
                        return null;
                    };
        };
    }

    /** Caffeine has the longest times end after half of what a long counts. */
    private static Duration cut(Duration duration) {
        Duration most = nanos(Long.MAX_VALUE / 4);
        return duration.compareTo(most) > 0 ? most : duration;
    }

    private static Function<Cache<Long, String>, @Nullable Object> question(
            long key, Random random) {
        String value = "v" + random.nextInt(1000);
        return switch (random.nextInt(9)) {
            case 0 -> cache -> cache.getIfPresent(key);
            case 1 ->
                    cache -> {
                        cache.put(key, value);
                        return null;
                    };
            case 2 ->
                    cache -> {
                        cache.invalidate(key);
                        return null;
                    };
            case 3 -> cache -> cache.get(key, _ -> value);
            case 4 -> cache -> cache.policy().getIfPresentQuietly(key);
            case 5 -> cache -> cache.policy().getEntryIfPresentQuietly(key) == null;
            case 6 -> cache -> cache.asMap().containsKey(key);
            case 7 -> cache -> cache.asMap().replace(key, value);
            default -> cache -> new ArrayList<>(cache.asMap().keySet()).stream().sorted().toList();
        };
    }

    @ParameterizedTest
    @EnumSource
    void answersOfPolicies_areThoseOfCaffeine(Rule rule) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<Contender, Cache<Long, String>> caches = new EnumMap<>(Contender.class);
        caches.put(Contender.CAFFEINE, caffeine(rule));
        caches.put(Contender.POLDER, polder(rule));
        clock.set(0);
        int different = 0;
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(4) == 0) {
                clock.addAndGet(2L * random.nextInt(150)); // Caffeine drops the last bit
            }
            long key = random.nextInt(KEYS);
            Function<Cache<Long, String>, @Nullable Object> asked =
                    random.nextInt(3) == 0
                            ? questionOfRule(rule, key, random)
                            : question(key, random);
            List<Object> answers = new ArrayList<>();
            caches.values().forEach(cache -> answers.add(answer(cache, asked)));
            assertThat(answers.getLast())
                    .as("seed=%d, step=%d, key=%d", seed, step, key)
                    .isEqualTo(answers.getFirst());
            different += "null".equals(answers.getFirst()) ? 0 : 1;
        }
        assertThat(different).isGreaterThan(STEPS / 10);
    }
}
