package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Await;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Others may release what is free while a thread looks whether some of it is lost. */
@EnabledOnOs(OS.LINUX)
class ReleasedMeanwhileTest extends PageFixture {
    private volatile Runnable beforeLook = () -> {};

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public boolean isWhole(long address, long bytes) {
                beforeLook.run();
                return super.isWhole(address, bytes);
            }
        };
    }

    @Test
    void take_refusedWhileOthersTrim_saysWhatWasRefused() {
        PageSpace space = space(32 * MIB);
        Thread trimming = Thread.ofPlatform().unstarted(space::trim);
        beforeLook =
                () -> {
                    beforeLook = () -> {};
                    trimming.start();
                    // Until it has released all, or waits for who looks
                    Await.until(
                            () ->
                                    !trimming.isAlive()
                                            || trimming.getState() == Thread.State.BLOCKED);
                };
        provider.fail(Call.COMMIT, 1, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(2 * MIB, false))
                .withMessageContaining("injected COMMIT");
        Await.end(trimming);
    }
}
