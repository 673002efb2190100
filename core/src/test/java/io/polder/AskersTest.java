package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.function.BooleanSupplier;

/** Others stand back for a thread that has room made, and not for ever. */
@Timeout(300)
class AskersTest {
    private final Askers askers = new Askers();

    private static void elsewhere(Runnable does) {
        boolean _ =
                OtherThread.platform(
                        () -> {
                            does.run();
                            return true;
                        });
    }

    /** Again and again: who asked before the process stood still for long is not heard of. */
    private void askElsewhereUntil(String what, BooleanSupplier condition) {
        Await.until(
                what,
                () -> {
                    elsewhere(askers::asks);
                    return condition.getAsBoolean();
                });
    }

    @Test
    void areOthers_aThreadHasAsked_areForAllButThoseWhoAsk() {
        assertThat(askers.areOthers()).isFalse();
        askElsewhereUntil("there are others", askers::areOthers);
        askers.asks();
        assertThat(askers.areOthers()).isFalse();
        askers.refused();
        askElsewhereUntil("there are others again", askers::areOthers);
    }

    @Test
    void asked_othersHaveRoomMade_saysSo() {
        askers.asks();
        assertThat(askers.asked()).isFalse();
        askElsewhereUntil("there are others", askers::asked);
    }

    @Test
    void areOthers_theThreadIsRefused_areNoMore() {
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
        Await.until(() -> !askers.areOthers());
    }
}
