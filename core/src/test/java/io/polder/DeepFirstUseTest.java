package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.DeepFirstUseProbe.Use;
import io.polder.arena.Seed;
import io.polder.arena.TestScale;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The first use of anything in a process comes near the end of a stack, in {@link
 * DeepFirstUseProbe}: it may fail, but decides nothing for those that come after it.
 */
@EnabledOnOs(OS.LINUX)
class DeepFirstUseTest {
    private static final int FRAMES_MAX = 800;

    @Test
    void firstUse_inAnyFrame_isTheOnlyOneThatFails() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Use[] uses = Use.values();
        for (int i = TestScale.of(2, 20); i > 0; i--) {
            Use use = uses[random.nextInt(uses.length)];
            int frames = random.nextInt(FRAMES_MAX);
            Seed.naming(seed, () -> check(use, frames, frames));
        }
    }

    /** A JVM each, so half of them each time. */
    @Tag("full")
    @ParameterizedTest
    @EnumSource(names = {"BEGINNING", "ARENA", "POOL", "DEFERRED", "PAGE", "HEAP"})
    void firstUse_inFramesThatWereHarmful_isTheOnlyOneThatFails(Use use) {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        for (int frames : new int[] {2, 60, 105, 110, 125, 160, 200, 300}) {
            if (random.nextBoolean()) {
                Seed.naming(seed, () -> check(use, frames, frames));
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(Use.class)
    void uses_inAllOfTheLastFrames_leaveTheProcessWhole(Use use) {
        check(use, 0, FRAMES_MAX);
    }

    private static void check(Use use, int least, int most) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS),
                        DeepFirstUseProbe.class,
                        use.name(),
                        Integer.toString(least),
                        Integer.toString(most));
        assertThat(result.out()).as("%s: %s", use, result).contains("\nwhole\n");
        assertThat(result.out()).as("%s: %s", use, result).doesNotContain("tried=0,");
        assertThat(result.err()).contains("the logger works", "pool exhausted: name=limited");
    }
}
