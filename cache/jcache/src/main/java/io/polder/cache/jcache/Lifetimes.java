package io.polder.cache.jcache;

import io.polder.cache.Expiry;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Supplier;

import javax.cache.configuration.Factory;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.ModifiedExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;

/**
 * How long entries live, by the expiry policy of a cache. A policy that throws changes nothing; an
 * entry that is created then lives for ever, as the specification asks for a default.
 *
 * <p>Thread-safe, if the policy is.
 */
final class Lifetimes<V> implements Expiry<Object, V> {
    /** Longer than a cache counts. */
    static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final ExpiryPolicy policy;
    private final boolean isEternal;
    private final boolean mindsAccess;
    private final boolean mindsCreation;

    Lifetimes(Factory<ExpiryPolicy> factory) {
        policy = PolderConfiguration.make(factory, "the expiry policy");
        Class<?> type = policy.getClass();
        isEternal = type == EternalExpiryPolicy.class;
        mindsAccess =
                !isEternal
                        && type != CreatedExpiryPolicy.class
                        && type != ModifiedExpiryPolicy.class;
        mindsCreation = type != ModifiedExpiryPolicy.class && type != TouchedExpiryPolicy.class;
    }

    ExpiryPolicy policy() {
        return policy;
    }

    /** Whether no entry ever expires. */
    boolean isEternal() {
        return isEternal;
    }

    /** Whether an access may change how long an entry lives. */
    boolean mindsAccess() {
        return mindsAccess;
    }

    /** Whether an entry that is created may live for another time than one that is changed. */
    boolean mindsCreation() {
        return mindsCreation;
    }

    /** Of an entry that is created now; zero for one that nobody will see. */
    Duration creation() {
        Duration asked = ask(policy::getExpiryForCreation);
        return asked == null ? FOREVER : asked;
    }

    /** Of an entry that is changed now; null to go on as it is. */
    @Nullable Duration update() {
        return ask(policy::getExpiryForUpdate);
    }

    private static @Nullable Duration ask(
            Supplier<javax.cache.expiry.@Nullable Duration> question) {
        javax.cache.expiry.Duration duration;
        try {
            duration = question.get();
        } catch (Exception _) {
            return null;
        }
        if (duration == null) {
            return null;
        }
        if (duration.isEternal()) {
            return FOREVER;
        }
        try {
            return Duration.of(duration.getDurationAmount(), duration.getTimeUnit().toChronoUnit());
        } catch (ArithmeticException _) {
            return FOREVER; // more seconds than a long counts
        }
    }

    @Override
    public Duration afterWrite(Object key, V value) {
        return ((EntryKey<?>) key).lifetime();
    }

    @Override
    public @Nullable Duration afterRead(Object key, V value) {
        return ((EntryKey<?>) key).isAccess() ? ask(policy::getExpiryForAccess) : null;
    }
}
