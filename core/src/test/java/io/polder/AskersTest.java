package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Others stand back for a thread that has room made, and not for ever. */
@Timeout(30)
class AskersTest {
    private final Askers askers = new Askers();

    private static void elsewhere(Runnable does) throws InterruptedException {
        Thread other = Thread.ofPlatform().start(does);
        other.join();
    }

    @Test
    void areOthers_aThreadHasAsked_areForAllButThoseWhoAsk() throws InterruptedException {
        assertThat(askers.areOthers()).isFalse();
        elsewhere(askers::asks);
        assertThat(askers.areOthers()).isTrue();
        askers.asks();
        assertThat(askers.areOthers()).isFalse();
        askers.refused();
        assertThat(askers.areOthers()).isTrue();
    }

    @Test
    void asked_othersHaveRoomMade_saysSo() throws InterruptedException {
        askers.asks();
        assertThat(askers.asked()).isFalse();
        elsewhere(askers::asks);
        assertThat(askers.asked()).isTrue();
    }

    @Test
    void areOthers_theThreadIsRefused_areNoMore() throws InterruptedException {
        elsewhere(
                () -> {
                    askers.asks();
                    askers.refused();
                });
        assertThat(askers.areOthers()).isFalse();
    }

    @Test
    void areOthers_theThreadIsNotHeardOf_areNoMoreSoon() throws InterruptedException {
        elsewhere(askers::asks);
        elsewhere(
                () -> {
                    askers.asks();
                    boolean _ = askers.asked();
                });
        while (askers.areOthers()) {
            Thread.sleep(10);
        }
    }
}
