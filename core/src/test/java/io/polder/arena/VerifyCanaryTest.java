package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.Providers;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;

/** Each {@code verify()} throws when the state it looks at was broken on purpose. */
class VerifyCanaryTest {
    private static final int TOP = 16;
    private static final int COUNT = TOP + 1;
    private static final int REST = COUNT + 1;

    private final SlabSource source = new SlabSource(Providers.choose().provider(), 4096);
    private final ThreadSlabs threadSlabs = new ThreadSlabs(Thread.currentThread(), 4);
    private final long[] words = (long[]) SlabAudit.field(threadSlabs, "words");

    @Test
    void sourceVerify_slabGivenTwice_throws() {
        long slab = source.take();
        assertThat(source.take()).isNotZero();
        source.give(slab);
        source.verify();
        source.give(slab);
        assertBroken(source::verify, "no slab is free twice: slab=" + Long.toHexString(slab));
    }

    @Test
    void sourceVerify_moreGivenThanCut_throws() {
        source.give(4096);
        assertBroken(source::verify, "free <= cut: cut=0");
    }

    @Test
    void sourceVerify_cutCountedWrong_throws() throws ReflectiveOperationException {
        assertThat(source.take()).isNotZero();
        Field cut = SlabSource.class.getDeclaredField("cut");
        cut.setAccessible(true);
        cut.setLong(source, 2);
        assertBroken(source::verify, "cut * slabBytes + (end - next) == reserved");
    }

    @Test
    void threadSlabsVerify_sameSlabInTopAndRest_throws() {
        threadSlabs.give(64);
        threadSlabs.give(64);
        assertBroken(threadSlabs::verify, "no address stands here twice: owner=");
    }

    @Test
    void threadSlabsVerify_sameSlabTwiceInRest_throws() {
        threadSlabs.give(64);
        threadSlabs.give(128);
        threadSlabs.give(128);
        assertBroken(threadSlabs::verify, "no address stands here twice: owner=");
    }

    @Test
    void threadSlabsVerify_countBeyondCapacity_throws() {
        words[COUNT] = 4;
        assertBroken(threadSlabs::verify, "0 <= COUNT <= capacity - 1");
    }

    @Test
    void threadSlabsVerify_negativeCount_throws() {
        words[COUNT] = -1;
        assertBroken(threadSlabs::verify, "0 <= COUNT <= capacity - 1");
    }

    @Test
    void threadSlabsVerify_slabAboveCount_throws() {
        words[REST + 2] = 64;
        assertBroken(threadSlabs::verify, "REST i != 0 exactly for i < COUNT");
    }

    @Test
    void threadSlabsVerify_holeBelowCount_throws() {
        words[COUNT] = 1;
        assertBroken(threadSlabs::verify, "REST i != 0 exactly for i < COUNT");
    }

    private static void assertBroken(ThrowingCallable verify, String message) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(verify)
                .withMessageContaining(message);
    }
}
