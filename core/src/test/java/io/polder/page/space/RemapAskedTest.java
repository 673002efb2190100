package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Whether memory can be moved is asked when there is some, and the first answer takes a while. */
class RemapAskedTest extends PageFixture {
    private @Nullable PageSpace asking;
    private int asked;
    private int askedLocked;

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public boolean canRemap() {
                asked++;
                if (asking != null && Thread.holdsLock(asking.state)) {
                    askedLocked++;
                }
                return super.canRemap();
            }
        };
    }

    @Test
    void take_scattered_asksWithNoLockHeld() {
        PageSpace space = space(64 * MIB);
        asking = space;
        List<Extent> kept = giveEverySecond(space, fill(space));
        Extent page = space.take(32 * MIB, false);
        assertThat(asked).isPositive();
        assertThat(askedLocked).isZero();
        give(page);
        give(kept);
    }

    @Test
    void take_inANewSpace_doesNotAsk() {
        PageSpace space = space(64 * MIB);
        give(space.take(32 * MIB, false));
        assertThat(asked).isZero();
    }
}
