package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.Policy.CacheEntry;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import com.github.benmanes.caffeine.cache.Policy.FixedExpiration;
import com.github.benmanes.caffeine.cache.Policy.VarExpiration;

import io.polder.cache.OffHeapCacheBuilder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What Caffeine's policy says of an off-heap cache. */
class PolicyViewTest extends ContenderFixture {
    private Cache<Long, String> view(OffHeapCacheBuilder<Long, String> builder) {
        return OffHeapCaffeine.asCaffeine(closing(builder.build()));
    }

    @Test
    void withoutLimitsAndExpiry_thereIsNothing() {
        Policy<Long, String> policy = open(Contender.POLDER).policy();
        assertThat(policy.eviction()).isEmpty();
        assertThat(policy.expireAfterAccess()).isEmpty();
        assertThat(policy.expireAfterWrite()).isEmpty();
        assertThat(policy.expireVariably()).isEmpty();
        assertThat(policy.refreshAfterWrite()).isEmpty();
        assertThat(policy.refreshes()).isEmpty();
    }

    @Test
    void limitOfEntries_isAMaximumSize() {
        Cache<Long, String> cache = view(longs().maximumEntries(100));
        Eviction<Long, String> eviction = cache.policy().eviction().orElseThrow();
        assertThat(eviction.isWeighted()).isFalse();
        assertThat(eviction.getMaximum()).isEqualTo(100);
        assertThat(eviction.weightedSize()).isEmpty();
        for (long key = 0; key < 50; key++) {
            cache.put(key, "v" + key);
        }
        assertThat(eviction.weightOf(1L)).isEmpty();
        eviction.setMaximum(10);
        assertThat(cache.estimatedSize()).isLessThanOrEqualTo(10);
        assertThat(cache.stats().evictionCount()).isGreaterThanOrEqualTo(40);
        assertThat(eviction.coldestWeighted(3)).hasSize(3);
    }

    @Test
    void limitOfBytes_isAMaximumWeight() {
        Cache<Long, String> cache = view(longs().maximumBytes(32 << 20));
        Eviction<Long, String> eviction = cache.policy().eviction().orElseThrow();
        assertThat(eviction.isWeighted()).isTrue();
        assertThat(eviction.getMaximum()).isEqualTo(32 << 20);
        cache.put(1L, "x".repeat(1000));
        cache.put(2L, "y".repeat(1000));
        assertThat(eviction.weightOf(1L).orElseThrow()).isBetween(1008, 1100);
        assertThat(eviction.weightOf(3L)).isEmpty();
        assertThat(eviction.weightedSize().orElseThrow()).isGreaterThan(1000);
        assertThat(eviction.hottestWeighted(100_000)).containsOnlyKeys(1L, 2L);
        assertThat(eviction.coldestWeighted(1100)).hasSize(1);
        assertThat(eviction.coldestWeighted(20)).isEmpty();
        eviction.setMaximum(16 << 20);
        assertThat(eviction.getMaximum()).isEqualTo(16 << 20);
        assertThatThrownBy(() -> eviction.setMaximum(100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maximumBytes=100");
        assertThatThrownBy(() -> eviction.coldestWeighted(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("weightLimit=-1");
    }

    /** Whether it is in bytes was said when the cache was built, as in Caffeine. */
    @Test
    void maximum_ofAllThatALongCounts_isStillOneOfItsKind() {
        for (boolean isWeighted : new boolean[] {true, false}) {
            Cache<Long, String> cache =
                    view(isWeighted ? longs().maximumBytes(32 << 20) : longs().maximumEntries(9));
            cache.policy().eviction().orElseThrow().setMaximum(Long.MAX_VALUE);
            cache.put(1L, "one");
            Eviction<Long, String> eviction = cache.policy().eviction().orElseThrow();
            assertThat(eviction.isWeighted()).isEqualTo(isWeighted);
            eviction.setMaximum(16 << 20);
            assertThat(eviction.isWeighted()).isEqualTo(isWeighted);
            assertThat(eviction.getMaximum()).isEqualTo(16 << 20);
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, "one"));
        }
    }

    @Test
    void hottestAndColdest_areByHowOftenKeysWereAskedFor() {
        Cache<Long, String> cache = view(longs().maximumEntries(2000));
        for (long key = 0; key < 1000; key++) {
            cache.put(key, "v" + key);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(cache.getIfPresent(7L)).isNotNull();
        }
        Eviction<Long, String> eviction = cache.policy().eviction().orElseThrow();
        assertThat(eviction.hottest(1)).isEqualTo(Map.of(7L, "v7"));
        assertThat(eviction.coldest(900)).hasSize(900).doesNotContainKey(7L);
        assertThat(eviction.hottest(Integer.MAX_VALUE)).hasSize(1000);
        assertThat(eviction.<Long>coldest(Stream::count)).isEqualTo(1000);
        CacheEntry<Long, String> first =
                eviction.<CacheEntry<Long, String>>hottest(all -> all.findFirst().orElseThrow());
        assertThat(first).isEqualTo(Map.entry(7L, "v7"));
        assertThat(first.weight()).isEqualTo(1);
        assertThat(first.expiresAfter().toNanos()).isEqualTo(Long.MAX_VALUE);
        for (Map<Long, String> copy :
                List.of(eviction.hottest(1), eviction.coldest(1), eviction.hottestWeighted(1))) {
            assertThatThrownBy(() -> copy.put(1L, "one"))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
        assertThatThrownBy(() -> eviction.hottest(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count=-1");
    }

    private Cache<Long, String> openExpiring(Contender contender, boolean access) {
        if (contender == Contender.POLDER) {
            Duration minute = Duration.ofMinutes(1);
            return view(
                    access ? longs().expireAfterAccess(minute) : longs().expireAfterWrite(minute));
        }
        Caffeine<Object, Object> builder =
                Caffeine.newBuilder().ticker(clock::get).executor(Runnable::run);
        Duration minute = Duration.ofMinutes(1);
        return (access ? builder.expireAfterAccess(minute) : builder.expireAfterWrite(minute))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void expiryAfterWrite_hasAges(Contender contender) {
        Cache<Long, String> cache = openExpiring(contender, false);
        FixedExpiration<Long, String> expiry = cache.policy().expireAfterWrite().orElseThrow();
        assertThat(cache.policy().expireAfterAccess()).isEmpty();
        assertThat(expiry.getExpiresAfter(TimeUnit.SECONDS)).isEqualTo(60);
        cache.put(1L, "one");
        clock.addAndGet(TimeUnit.SECONDS.toNanos(20));
        cache.put(2L, "two");
        clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(cache.getIfPresent(1L)).isEqualTo("one");
        assertThat(expiry.ageOf(1L).orElseThrow().toMillis()).isEqualTo(30_000);
        assertThat(expiry.ageOf(2L, TimeUnit.SECONDS)).hasValue(10);
        assertThat(expiry.ageOf(3L)).isEmpty();
        assertThat(expiry.oldest(1)).containsOnlyKeys(1L);
        assertThat(expiry.youngest(1)).containsOnlyKeys(2L);
        assertThat(expiry.<Long>oldest(all -> all.skip(1).findFirst().orElseThrow().getKey()))
                .isEqualTo(2);
        CacheEntry<Long, String> entry =
                Objects.requireNonNull(cache.policy().getEntryIfPresentQuietly(2L));
        assertThat(entry).isEqualTo(Map.entry(2L, "two"));
        if (contender == Contender.POLDER) { // the other one's is another time
            assertThat(entry.expiresAfter()).isEqualTo(Duration.ofSeconds(50));
        }
        clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
        assertThat(cache.getIfPresent(1L)).isNull();
        assertThat(cache.policy().getEntryIfPresentQuietly(1L)).isNull();
        assertThat(cache.asMap()).containsOnlyKeys(2L);
    }

    @ParameterizedTest
    @EnumSource
    void expiryAfterAccess_isNotChangedByQuietLooks(Contender contender) {
        Cache<Long, String> cache = openExpiring(contender, true);
        FixedExpiration<Long, String> expiry = cache.policy().expireAfterAccess().orElseThrow();
        cache.put(1L, "one");
        clock.addAndGet(TimeUnit.SECONDS.toNanos(20));
        assertThat(cache.policy().getIfPresentQuietly(1L)).isEqualTo("one");
        assertThat(expiry.ageOf(1L).orElseThrow().toMillis()).isEqualTo(20_000);
        assertThat(cache.getIfPresent(1L)).isEqualTo("one");
        assertThat(expiry.ageOf(1L).orElseThrow().toMillis()).isZero();
    }

    @Test
    void expiryOfAll_cannotBeChanged() {
        FixedExpiration<Long, String> expiry =
                openExpiring(Contender.POLDER, false).policy().expireAfterWrite().orElseThrow();
        assertThatThrownBy(() -> expiry.setExpiresAfter(Duration.ofSeconds(1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("when an off-heap cache is built");
    }

    private Cache<Long, String> openVariable(Contender contender) {
        return contender == Contender.POLDER
                ? view(longs().expireAfter((_, _) -> Duration.ofMinutes(1)))
                : Caffeine.newBuilder()
                        .ticker(clock::get)
                        .executor(Runnable::run)
                        .expireAfter(
                                com.github.benmanes.caffeine.cache.Expiry.writing(
                                        (Long _, String _) -> Duration.ofMinutes(1)))
                        .build();
    }

    @ParameterizedTest
    @EnumSource
    void expiryOfEach_canBeSaid(Contender contender) {
        Cache<Long, String> cache = openVariable(contender);
        VarExpiration<Long, String> expiry = cache.policy().expireVariably().orElseThrow();
        cache.put(1L, "one");
        assertThat(expiry.getExpiresAfter(1L)).contains(Duration.ofMinutes(1));
        assertThat(expiry.getExpiresAfter(9L)).isEmpty();
        expiry.setExpiresAfter(1L, Duration.ofMinutes(5));
        assertThat(expiry.getExpiresAfter(1L, TimeUnit.SECONDS)).hasValue(300);
        assertThat(expiry.put(1L, "uno", Duration.ofMinutes(2))).isEqualTo("one");
        assertThat(expiry.put(2L, "dos", Duration.ofMinutes(3))).isNull();
        assertThat(expiry.putIfAbsent(2L, "due", Duration.ofMinutes(9))).isEqualTo("dos");
        assertThat(expiry.putIfAbsent(3L, "tre", 4, TimeUnit.MINUTES)).isNull();
        assertThat(expiry.compute(4L, (_, old) -> old + " four", Duration.ofMinutes(1)))
                .isEqualTo("null four");
        assertThat(expiry.oldest(2).keySet()).containsExactly(4L, 1L);
        assertThat(expiry.youngest(2).keySet()).containsExactly(3L, 2L);
        assertThat(expiry.compute(4L, (_, _) -> null, Duration.ofMinutes(1))).isNull();
        clock.addAndGet(TimeUnit.SECONDS.toNanos(150));
        cache.cleanUp();
        assertThat(cache.asMap()).isEqualTo(Map.of(2L, "dos", 3L, "tre"));
        expiry.setExpiresAfter(2L, Long.MAX_VALUE, TimeUnit.DAYS);
        clock.addAndGet(TimeUnit.DAYS.toNanos(1000));
        cache.cleanUp();
        assertThat(cache.asMap()).isEqualTo(Map.of(2L, "dos"));
        assertThatThrownBy(() -> expiry.put(1L, "one", Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("NullAway") // what is tested
    void expiryOfEach_ofNull_isRefused(Contender contender) {
        Cache<Long, String> cache = openVariable(contender);
        VarExpiration<Long, String> expiry = cache.policy().expireVariably().orElseThrow();
        cache.put(1L, "one");
        assertThatThrownBy(() -> expiry.put(1L, null, Duration.ofMinutes(1)))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> expiry.putIfAbsent(2L, null, Duration.ofMinutes(1)))
                .isInstanceOf(NullPointerException.class);
        assertThat(cache.asMap()).isEqualTo(Map.of(1L, "one"));
    }
}
