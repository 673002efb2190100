package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** When entries expire, whatever a ticker says. */
class DeadlinesTest {
    private static final long OFF = Deadlines.OFF;

    /** About to wrap around, as {@link System#nanoTime} may be. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 100);

    private Deadlines<String, String> rule(long afterWrite, long afterAccess) {
        return rule(afterWrite, afterAccess, null);
    }

    private Deadlines<String, String> rule(
            long afterWrite, long afterAccess, @Nullable Expiry<String, String> expiry) {
        return new Deadlines<>(clock::get, clock.get(), afterWrite, afterAccess, expiry);
    }

    @Test
    void left_tickerWrapsAround_endsAtTheDeadline() {
        Deadlines<String, String> rule = rule(150, OFF);
        long deadline = rule.afterWrite();
        assertThat(rule.left(deadline)).isEqualTo(150);
        clock.addAndGet(149);
        assertThat(rule.left(deadline)).isEqualTo(1);
        clock.addAndGet(1);
        assertThat(rule.left(deadline)).isZero();
    }

    @Test
    void left_never_isForEver() {
        Deadlines<String, String> rule = rule(10, OFF);
        clock.addAndGet(1000);
        assertThat(rule.left(EntryLayout.NEVER)).isEqualTo(Long.MAX_VALUE);
        assertThat(rule(OFF, OFF).afterWrite()).isEqualTo(EntryLayout.NEVER);
    }

    @Test
    void left_fromAMoment_isWhatWasLeftThen() {
        Deadlines<String, String> rule = rule(1000, OFF);
        long deadline = rule.afterWrite();
        clock.addAndGet(100);
        assertThat(rule.left(deadline, 40)).isEqualTo(960);
        assertThat(rule.left(deadline, 200)).as("the ticker went back").isEqualTo(900);
        clock.addAndGet(900);
        assertThat(rule.left(deadline, 40)).isZero();
    }

    @Test
    void left_tickerIsBeforeItsOrigin_isAtMostForEver() {
        Deadlines<String, String> rule = rule(Long.MAX_VALUE - 1, OFF);
        long deadline = rule.afterWrite();
        clock.addAndGet(-10);
        assertThat(rule.left(deadline)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void afterWrite_longerThanTimeCanBe_isNever() {
        Deadlines<String, String> rule = rule(Long.MAX_VALUE - 1, OFF);
        clock.addAndGet(10);
        assertThat(rule.afterWrite()).isEqualTo(EntryLayout.NEVER);
        Duration millennia = Duration.ofDays(400_000);
        assertThat(rule.afterWrite("key", "value", millennia)).isEqualTo(EntryLayout.NEVER);
        assertThat(rule.afterWrite("key", "value", Duration.ofNanos(5))).isEqualTo(15);
    }

    @Test
    void afterNanos_withoutARule_isNever() {
        assertThat(rule(OFF, OFF).afterNanos(5)).isEqualTo(EntryLayout.NEVER);
        assertThat(rule(100, OFF).afterNanos(5)).isEqualTo(5);
        assertThat(rule(OFF, 100).afterNanos(5)).isEqualTo(5);
        Expiry<String, String> each = (_, _) -> Duration.ZERO;
        assertThat(rule(OFF, OFF, each).afterNanos(5)).isEqualTo(5);
    }

    @Test
    void afterRead_ruleOfWrites_changesNothing() {
        Deadlines<String, String> rule = rule(100, OFF);
        clock.addAndGet(10);
        assertThat(rule.afterRead("key", "value", 42)).isEqualTo(42);
        assertThat(rule.afterBytesRead(42)).isEqualTo(42);
        assertThat(rule.changeWithReads()).isFalse();
    }

    @Test
    void afterRead_ruleOfAccesses_beginsAnew() {
        Deadlines<String, String> rule = rule(OFF, 100);
        assertThat(rule.afterWrite()).isEqualTo(100);
        clock.addAndGet(10);
        assertThat(rule.afterRead("key", "value", 42)).isEqualTo(110);
        assertThat(rule.afterBytesRead(42)).isEqualTo(110);
        assertThat(rule.changeWithReads()).isTrue();
    }

    @Test
    void afterRead_ruleForEach_isAsItSays_andNotForBytes() {
        Deadlines<String, String> rule =
                rule(
                        OFF,
                        OFF,
                        new Expiry<>() {
                            @Override
                            public Duration afterWrite(String key, String value) {
                                return Duration.ofNanos(value.length());
                            }

                            @Override
                            public @Nullable Duration afterRead(String key, String value) {
                                return value.isEmpty() ? null : Duration.ofNanos(7);
                            }
                        });
        clock.addAndGet(10);
        assertThat(rule.afterWrite("key", "value", null)).isEqualTo(15);
        assertThat(rule.afterRead("key", "value", 42)).isEqualTo(17);
        assertThat(rule.afterRead("key", "", 42)).isEqualTo(42);
        assertThat(rule.afterBytesRead(42)).isEqualTo(42);
        assertThat(rule.changeWithReads()).isTrue();
    }
}
