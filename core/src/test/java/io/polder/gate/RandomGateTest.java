package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.ExecutionException;

/** Random critical sections of many threads against random waits of others. */
@Timeout(300)
class RandomGateTest {
    private static final String SEED_PROPERTY = "polder.test.seed";

    @ParameterizedTest
    @EnumSource
    void sectionsAndWaits_random_agreeWithTheModel(GateUnderTest kind) throws Exception {
        Long given = Long.getLong(SEED_PROPERTY);
        long seed = given != null ? given : System.nanoTime();
        try {
            new RandomReaders(kind.create(), seed).run();
        } catch (ExecutionException | AssertionError failure) {
            throw new AssertionError("again with -D" + SEED_PROPERTY + "=" + seed, failure);
        }
        assertThat(seed).isNotZero();
    }
}
